/** The id of a service account begins with the id of the user who made it, so that every queue knows whose share it uses. */
const SERVICE_ID = /^(.+)~service_[0-9a-f]{32}$/;

/** The id of a service account. @param random 32 hexadecimal digits */
export function serviceAccountId(ownerUserId: string, random: string): string {
  return `${ownerUserId}~service_${random}`;
}

/** The user who made a service account, by the account's id; for a person, that person. */
export function owningUser(userId: string): string {
  return SERVICE_ID.exec(userId)?.[1] ?? userId;
}

/** Whether a user id is that of a service account. */
export function isServiceAccount(userId: string): boolean {
  return SERVICE_ID.test(userId);
}

/** An account, as far as its share matters. */
export interface SharingAccount {
  _id: string;
  service?: { share_user_id?: string } | undefined;
}

/**
 * The user whose share of limits and queues an account uses. A service account uses that of the owner of its project: the one who
 * made it, until the project is transferred.
 */
export function shareUserId({ _id, service }: SharingAccount): string {
  return service?.share_user_id ?? owningUser(_id);
}

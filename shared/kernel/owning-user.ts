/** The id of a service account begins with the id of the user who made it, so that every queue knows whose share it uses. */
const SERVICE_ID = /^(.+)~service_[0-9a-f]{32}$/;

/** The id of a service account. @param random 32 hexadecimal digits */
export function serviceAccountId(ownerUserId: string, random: string): string {
  return `${ownerUserId}~service_${random}`;
}

/** The user whose share of limits and queues is used by a user id: a service account uses the share of its owner. */
export function owningUser(userId: string): string {
  return SERVICE_ID.exec(userId)?.[1] ?? userId;
}

/** The id of a service account begins with the id of the user who made it, so that every queue knows whose share it uses. */
const SERVICE_ID = /^(.+)~service_[0-9a-f]{32}$/;

/** The user who made a service account, by the account's id; for a person, that person. */
export function owningUser(userId: string): string {
  return SERVICE_ID.exec(userId)?.[1] ?? userId;
}

/** Whether a user id is that of a service account. */
export function isServiceAccount(userId: string): boolean {
  return SERVICE_ID.test(userId);
}

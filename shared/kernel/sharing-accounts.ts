import { type UserId, userIdSchema } from './ids.ts';
import { owningUser } from './owning-user.ts';

/** The id of a service account. @param random 32 hexadecimal digits */
export function serviceAccountId(ownerUserId: string, random: string): UserId {
  return userIdSchema.parse(`${ownerUserId}~service_${random}`);
}

/** The fields of an account that determine its share. */
export interface SharingAccount {
  _id: UserId;
  service?: { share_user_id?: UserId } | undefined;
}

/**
 * The user whose share of limits and queues an account uses. A service account uses that of the owner of its project: the one who
 * made it, until the project is transferred.
 */
export function shareUserId({ _id, service }: SharingAccount): UserId {
  return service?.share_user_id ?? userIdSchema.parse(owningUser(_id));
}

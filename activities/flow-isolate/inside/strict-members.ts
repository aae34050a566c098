import { nearestName } from '../../../shared/kernel/near-names.ts';

const RealProxy = Proxy;
const { freeze, keys } = Object;

/** Members that the language itself looks for on objects. */
const languageMembers = ['then', 'toJSON', 'constructor'];

/** A frozen part of the session that tells of a member which it does not have, and of the nearest one. */
export function strictMembers<T extends object>(name: string, part: T): T {
  return new RealProxy(freeze(part), {
    get(known, property, receiver): unknown {
      if (typeof property !== 'string' || property in known || languageMembers.includes(property)) {
        return Reflect.get(known, property, receiver);
      }
      const members = keys(known);
      const nearest = nearestName(property, members);
      const advice =
        nearest === undefined ? `it has ${members.join(', ')}` : `did you mean ${name}.${nearest}?`;
      throw new TypeError(`${name} has no "${property}"; ${advice}`);
    },
  });
}

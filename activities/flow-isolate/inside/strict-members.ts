import { nearestName } from '../../../shared/kernel/near-names.ts';

const RealProxy = Proxy;
const { freeze, keys } = Object;

/** Members that the language itself accesses on objects. */
const languageMembers = ['then', 'toJSON', 'constructor'];

/** Freezes a part of the session. Access to an unknown member throws an error that names the nearest one. */
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

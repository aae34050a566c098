import { nearestName } from '../../../shared/kernel/near-names.ts';

const RealProxy = Proxy;
const { freeze, keys } = Object;

/** What the language itself looks for on objects. */
const looks = ['then', 'toJSON', 'constructor'];

/** A frozen part of the session that tells of a member which it does not have, and of the nearest one. */
export function named<T extends object>(name: string, part: T): T {
  return new RealProxy(freeze(part), {
    get(known, property, receiver): unknown {
      if (typeof property !== 'string' || property in known || looks.includes(property)) {
        return Reflect.get(known, property, receiver);
      }
      const members = keys(known);
      const nearest = nearestName(property, members);
      const cure =
        nearest === undefined ? `it has ${members.join(', ')}` : `did you mean ${name}.${nearest}?`;
      throw new TypeError(`${name} has no "${property}"; ${cure}`);
    },
  });
}

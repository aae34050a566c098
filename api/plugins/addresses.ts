import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { Asker } from '../../shared/domain/parsing/index.ts';

/** Where a request comes from, as limits count it: whoever has one address of an IPv6 network (/64) has them all. */
export function countedAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return normalizeIP(ip, 64);
}

/** For whom something is parsed: the caller, or their address where nobody is signed in. */
export function askerOf(request: Pick<FastifyRequest, 'ip' | 'caller'>): Asker {
  const { caller } = request;
  return caller ? { kind: 'user', id: caller.user._id } : { kind: 'visitor', id: countedAddress(request) };
}

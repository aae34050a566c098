import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { Asker } from '../../shared/domain/parsing/index.ts';
import { shareUserId } from '../../shared/kernel/sharing-accounts.ts';

/** The address that limits count. IPv6 addresses count by their /64 network, because one client usually owns all of it. */
export function countedAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return normalizeIP(ip, 64);
}

/** Identifies who a parsing job is for: the caller, or the client's address if no user is signed in. */
export function askerOf(request: Pick<FastifyRequest, 'ip' | 'caller'>): Asker {
  const { caller } = request;
  return caller
    ? { kind: 'user', id: shareUserId(caller.user) }
    : { kind: 'visitor', id: countedAddress(request) };
}

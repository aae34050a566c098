import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === 'localhost';
  return loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Settings of services that other machines can reach: reading files requires a token, only administrators may change
 * the configuration, and invites do not tell which usernames exist. Settings in the environment take precedence.
 */
export function closedBeyondLoopback(
  host: string,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  if (isLoopback(host)) return {};
  return {
    ARTIFACT_ACCESS: environment['ARTIFACT_ACCESS'] || 'token',
    CONFIG_WRITE: environment['CONFIG_WRITE'] || 'admin',
    INVITE_STRANGERS: environment['INVITE_STRANGERS'] || 'concealed',
  };
}

/** Passkeys of the browser: the service's options go in, and what the device answers comes out, both as JSON. */

/** Whether this browser knows passkeys at this address. Addresses of numbers have none. */
export const hasPasskeys =
  typeof PublicKeyCredential !== 'undefined' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Has a device make a passkey. @throws if the person or the device refuses */
export async function makePasskey(
  options: unknown,
): Promise<{ id: string; rawId: string; clientDataJSON: string; attestationObject: string }> {
  if (!isCreation(options)) throw new Error('The service sent no options for a passkey.');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const { id, rawId, response } = answerOf(await navigator.credentials.create({ publicKey })).toJSON();
  if (!('attestationObject' in response)) throw new Error('The device made no passkey.');
  const { clientDataJSON, attestationObject } = response;
  return { id, rawId, clientDataJSON, attestationObject };
}

/** Has a device sign in. @returns what the sign-in takes @throws if the person or the device refuses */
export async function signWithPasskey(options: unknown): Promise<string> {
  if (!isRequest(options)) throw new Error('The service sent no options for a passkey.');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return JSON.stringify(answerOf(await navigator.credentials.get({ publicKey })));
}

function answerOf(credential: Credential | null): PublicKeyCredential {
  if (credential instanceof PublicKeyCredential) return credential;
  throw new Error('The device gave no passkey.');
}

const hasChallenge = (value: unknown): value is { challenge: string } =>
  typeof value === 'object' && value !== null && 'challenge' in value && typeof value.challenge === 'string';

/** The service and the browser speak the same standard, so its options are those of the browser. */
function isCreation(value: unknown): value is PublicKeyCredentialCreationOptionsJSON {
  return hasChallenge(value) && 'rp' in value && 'user' in value;
}

function isRequest(value: unknown): value is PublicKeyCredentialRequestOptionsJSON {
  return hasChallenge(value);
}

import { z } from 'zod';
import { timestamp } from '../../kernel/wire.ts';

/** A passkey of a user: a key pair of a device (WebAuthn), which replaces codes of the second factor. */
export interface PasskeyDocument {
  /** The device's id of the key, Base64url. */
  id: string;
  /** COSE key, Base64url. */
  public_key: string;
  /** Counter of the device's signatures; 0 if the device has none. */
  counter: number;
  transports: string[];
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

/** A challenge that a device must sign. A user has one at a time. */
export interface PasskeyChallenge {
  challenge: string;
  purpose: 'add' | 'sign_in';
  created_at: Date;
}

const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,8000}$/);
const transport = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);
const credential = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}),
};

/** The answer of a device that has made a key, in the JSON form of WebAuthn. */
export const newCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(transport).max(10).optional(),
  }),
});

/** The answer of a device that has signed a challenge. */
export const signedCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
  }),
});

/** Options for `navigator.credentials`, in the JSON form of WebAuthn. */
export const passkeyOptions = z.record(z.string(), z.unknown());

export const passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'Passkey' });
export type Passkey = z.infer<typeof passkey>;
export const passkeyList = z.object({ items: z.array(passkey) });

/** Body of POST /auth/passkeys/confirm. */
export const passkeyConfirmation = z.object({
  name: z.string().min(1).max(100).describe('Name by which you recognise this passkey.'),
  credential: newCredential,
});
export type PasskeyConfirmation = z.infer<typeof passkeyConfirmation>;

/** Body of POST /auth/passkeys/remove. */
export const passkeyRemoval = z.object({ current_password: z.string(), id: base64url });

/** Body of POST /auth/passkeys/sign-in. */
export const passkeySignIn = z.object({ username: z.string().min(1), password: z.string().min(1) });

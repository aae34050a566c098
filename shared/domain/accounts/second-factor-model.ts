import { z } from 'zod';

/** The second factor of a user: codes of an authenticator app (TOTP, RFC 6238), and recovery codes in case the app is lost. */
export interface SecondFactorDocument {
  /** Base32. */
  secret: string;
  /** Time step of the newest accepted code, so that no code is accepted twice. */
  last_step: number;
  /** SHA-256 of the unused recovery codes. */
  recovery_codes: string[];
  confirmed_at: Date;
}

/** A second factor that its user has not confirmed with a code. */
export interface PendingSecondFactor {
  secret: string;
  created_at: Date;
}

export const secondFactorStatus = z
  .object({
    enabled: z.boolean(),
    recovery_codes_left: z.number(),
  })
  .meta({ id: 'SecondFactor' });
export type SecondFactorStatus = z.infer<typeof secondFactorStatus>;

/** Body of POST /auth/second-factor. */
export const secondFactorRequest = z.object({ current_password: z.string() });

/** Answer of POST /auth/second-factor. */
export const newSecondFactor = z.object({
  secret: z.string().describe('Base32, for an authenticator app into which it is typed.'),
  uri: z.string().describe('otpauth:// address of the same secret, for a QR code.'),
});
export type NewSecondFactor = z.infer<typeof newSecondFactor>;

const code = z.string().min(1).max(64);

/** Body of POST /auth/second-factor/confirm. */
export const secondFactorConfirmation = z.object({ otp: code });

/** Answer of POST /auth/second-factor/confirm. */
export const recoveryCodes = z.object({
  recovery_codes: z
    .array(z.string())
    .describe('Each can be used once in place of a code. They are shown only now.'),
});

/** Body of POST /auth/second-factor/remove. */
export const secondFactorRemoval = z.object({
  current_password: z.string(),
  otp: code.describe('A code of the app, or a recovery code.'),
});

/** A variable as stored in a file, before decoding. */
export interface StoredVariable {
  name: string;
  /** Names of its dimensions; null for a dimension without a name. */
  dims: readonly (string | null)[];
  shape: readonly number[];
  /** Variables without numbers are skipped. */
  kind: 'number' | 'complex' | 'other';
  /** Whether missing values carry the format's default fill value. */
  fillsByDefault: boolean;
  /** Bits of an integer type. */
  integerBits?: number;
  attributes: Readonly<Record<string, number | string>>;
  /** All values in row-major order. A complex variable has real and imaginary parts in turn. */
  read(): ArrayLike<number>;
}

/** The file cannot be read; the message is the end of the sentence "… cannot be read: …". */
export class StoredFileProblem extends Error {
  override name = 'StoredFileProblem';
}

/** Maximum number of values in a file: 64 MB as doubles, to which all smaller types are unpacked. */
export const MAX_STORED_VALUES = 2 ** 23;

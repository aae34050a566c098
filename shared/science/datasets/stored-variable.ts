/** A variable of a file as it is stored, before its encoding is taken out. */
export interface StoredVariable {
  name: string;
  /** Names of its dimensions; null for one that the file does not name. */
  dims: readonly (string | null)[];
  shape: readonly number[];
  /** Anything but numbers is left aside. */
  kind: 'number' | 'complex' | 'other';
  /** Whether missing values carry the format's default fill value. */
  fillsByDefault: boolean;
  /** Bits of an integer type. */
  integerBits?: number;
  attributes: Readonly<Record<string, number | string>>;
  /** All values, the last dimension running fastest; of a complex variable real and imaginary parts in turn. */
  read(): ArrayLike<number>;
}

/** The file cannot be read; the message is the end of the sentence "… cannot be read: …". */
export class StoredFileProblem extends Error {
  override name = 'StoredFileProblem';
}

/** Small types unpack to numbers of eight bytes; these are the values of a file of 64 MB of doubles. */
export const MAX_STORED_VALUES = 2 ** 23;

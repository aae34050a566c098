/** A rotation of the Bloch sphere as a unit quaternion: cos(φ/2) and sin(φ/2) times the axis. */
export interface Rotation {
  w: number;
  x: number;
  y: number;
  z: number;
}

export interface Vector {
  x: number;
  y: number;
  z: number;
}

export const IDENTITY: Rotation = { w: 1, x: 0, y: 0, z: 0 };

/** The rotation by a constant field (rad/ns) during a time (ns). */
export function rotationAbout(field: Vector, duration: number): Rotation {
  const strength = Math.hypot(field.x, field.y, field.z);
  if (strength === 0) return IDENTITY;
  const half = (strength * duration) / 2;
  const factor = Math.sin(half) / strength;
  return { w: Math.cos(half), x: factor * field.x, y: factor * field.y, z: factor * field.z };
}

/** First one rotation, then another. */
export function composeRotations(first: Rotation, then: Rotation): Rotation {
  return {
    w: then.w * first.w - then.x * first.x - then.y * first.y - then.z * first.z,
    x: then.w * first.x + then.x * first.w + then.y * first.z - then.z * first.y,
    y: then.w * first.y - then.x * first.z + then.y * first.w + then.z * first.x,
    z: then.w * first.z + then.x * first.y - then.y * first.x + then.z * first.w,
  };
}

/** The same pulse played with another phase: its axis turned around z. */
export function withPhase({ w, x, y, z }: Rotation, phase: number): Rotation {
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)];
  return { w, x: x * cos - y * sin, y: x * sin + y * cos, z };
}

/** Many rotations, one after another. */
export function inSequence(rotations: readonly Rotation[]): Rotation {
  return rotations.reduce(composeRotations, IDENTITY);
}

/** Component z of the Bloch vector after a rotation that starts in the ground state (0, 0, 1). */
export function polarisationAfter({ w, x, y, z }: Rotation): number {
  return w * w + z * z - x * x - y * y;
}

/**
 * Average infidelity of a rotation against the intended one: (2/3) sin²(χ/2), where χ is the angle between them. For a
 * relative amplitude error δ of a gate of angle θ this is (2/3) sin²(θδ/2).
 */
export function rotationInfidelity(meant: Rotation, real: Rotation): number {
  const overlap = meant.w * real.w + meant.x * real.x + meant.y * real.y + meant.z * real.z;
  return (2 / 3) * Math.max(0, 1 - overlap ** 2);
}

/** The vector after a rotation. */
export function rotateVector({ w, x, y, z }: Rotation, vector: Vector): Vector {
  // v + 2 w (r × v) + 2 r × (r × v)
  const cross = {
    x: y * vector.z - z * vector.y,
    y: z * vector.x - x * vector.z,
    z: x * vector.y - y * vector.x,
  };
  return {
    x: vector.x + 2 * (w * cross.x + y * cross.z - z * cross.y),
    y: vector.y + 2 * (w * cross.y + z * cross.x - x * cross.z),
    z: vector.z + 2 * (w * cross.z + x * cross.y - y * cross.x),
  };
}

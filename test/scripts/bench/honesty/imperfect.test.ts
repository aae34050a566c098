import { describe, expect, test } from 'vitest';
import { kinds } from '../../../../scripts/bench/honesty/kinds.ts';
import { judge } from '../../../../scripts/bench/honesty/measuring.ts';
import { repetitions } from '../../../support/repetitions.ts';

const TRIALS = repetitions({ quick: 3, soak: 40 });

/** The outcomes of some measurements of a kind. */
function outcomesOf(name: string) {
  const kind = kinds.find((each) => each.name === name) ?? expect.fail(`no kind ${name}`);
  return Array.from({ length: TRIALS }, (_, trial) => judge(kind, `imperfect-${trial}`));
}

describe('the true value is found within five errors, and not refused,', () => {
  test.each([
    ['of fringes whose steps fit their period', 'CheckRamsey, a step of 2000 ns'],
    ['of fringes with few points before they decay', 'CheckRamsey, a step of 3000 ns'],
    ['of the interaction whose fringes have aliases', 'CheckStaticZZ, a step of 1000 ns'],
    ['of a Rabi oscillation that its steps do not resolve', 'CheckRabi, a step of 40 ns'],
    ['of the dispersive shift of impure states', 'CheckDispersiveShift, the excited state 80 to 97 % pure'],
    ['of T1 of a warm qubit', 'CheckT1, a warm qubit'],
    ['of an echo of a warm qubit', 'CheckT2Echo, a warm qubit'],
    ['of pulses of a warm qubit', 'CheckFineAmplitude, a warm qubit'],
    ['of an echo that decays slower at first', 'CheckT2Echo, exponent of 1.5 to 3'],
    ['of a T1 with quasiparticles', 'CheckT1, quasiparticles'],
    ['of an average T1 after a compressing amplifier', 'CheckT1Average, the amplifier compresses'],
    ['of an average echo after such an amplifier', 'CheckT2EchoAverage, the amplifier compresses'],
  ])('%s', (_, kind) => {
    const outcomes = outcomesOf(kind);
    const wrong = outcomes.filter(({ outcome }) => outcome !== 'accepted');
    expect(wrong.length).toBeLessThanOrEqual(Math.floor(TRIALS / 20));
  });
});

test.each(['CheckT1', 'CheckT2Echo', 'CheckRamsey', 'CheckEFSpectroscopy'])(
  'after a compressing amplifier, %s is within five errors, and rarely refused',
  (task) => {
    const outcomes = outcomesOf(`${task}, the amplifier compresses`).map(({ outcome }) => outcome);
    expect(outcomes).not.toContain('false');
    expect(outcomes.filter((outcome) => outcome === 'refused').length).toBeLessThanOrEqual(TRIALS / 5);
  },
);

test('a tomography with an overflowing digitiser is refused with a message, and throws nothing', () => {
  for (const { outcome, message } of outcomesOf('CheckCrossResonance, the digitiser overflows')) {
    expect(outcome).toBe('refused');
    expect(message).toMatch(/^The fit of CheckCrossResonance .*\.$/);
  }
});

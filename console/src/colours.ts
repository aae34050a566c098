/**
 * Colours with fixed meanings. The scale runs from dark blue to yellow with rising lightness (cividis), which every kind of
 * colour vision tells apart; states have a sign besides their colour.
 */
const SCALE = [
  '#00224e',
  '#123570',
  '#3b496c',
  '#575d6d',
  '#707173',
  '#8a8678',
  '#a59c74',
  '#c3b369',
  '#e1cc55',
  '#fee838',
];

/** Less is blue and more is orange, which every kind of colour vision tells apart; no difference is nearly white. */
const DIFFERENCES = ['#08458a', '#4a90c8', '#eef0f1', '#d9822b', '#8a3d04'];

/** The colour of a place between 0 and 1 on the scale. */
export const scaleColour = (place: number) => colourAt(SCALE, place);

/** The colour of a difference between −1 and 1. */
export const differenceColour = (place: number) => colourAt(DIFFERENCES, (place + 1) / 2);

function colourAt(scale: readonly string[], place: number): string {
  const at = Math.min(1, Math.max(0, place)) * (scale.length - 1);
  const [low, high] = [Math.floor(at), Math.ceil(at)];
  const [from, to] = [channelsOf(scale[low] ?? '#000000'), channelsOf(scale[high] ?? '#000000')];
  const mixed = from.map((channel, index) => Math.round(channel + (at - low) * ((to[index] ?? 0) - channel)));
  return `rgb(${mixed.join(' ')})`;
}

/** Black or white, whichever is readable on the colour of that place. */
export function inkOn(place: number): string {
  return place > 0.45 ? '#101418' : '#ffffff';
}

export const scaleGradient = `linear-gradient(to right, ${SCALE.join(', ')})`;
export const differenceGradient = `linear-gradient(to right, ${DIFFERENCES.join(', ')})`;

function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16));
}

export type TaskState = 'waiting' | 'measuring' | 'passed' | 'failed' | 'skipped';

/** What a state is called, and its sign. */
export const states: Readonly<Record<TaskState, { title: string; sign: string }>> = {
  waiting: { title: 'waiting', sign: '·' },
  measuring: { title: 'measuring', sign: '●' },
  passed: { title: 'passed', sign: '✓' },
  failed: { title: 'failed', sign: '✕' },
  skipped: { title: 'skipped', sign: '–' },
};

/** The state of a task result in words. */
export function stateOf(status: string): TaskState {
  switch (status) {
    case 'running':
      return 'measuring';
    case 'completed':
      return 'passed';
    case 'failed':
      return 'failed';
    case 'skipped':
    case 'cancelled':
      return 'skipped';
    default:
      return 'waiting';
  }
}

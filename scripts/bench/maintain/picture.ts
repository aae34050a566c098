/** The place of one policy in the picture. Parts of 1. */
export interface PolicyPoint {
  name: string;
  within: number;
  hardware: number;
}

const SIZE = { width: 640, height: 400 };
const PLOT = { left: 70, right: 610, top: 30, bottom: 340 };
const GOAL = { within: 0.99, hardware: 0.25 };
const TICK = 0.05;
const INK = '#1f2937';
const GREY = '#9ca3af';
const GREEN = '#d1fae5';

/** What policies reach against what they cost, as an SVG; the goal is shaded. */
export function policyPicture(points: readonly PolicyPoint[], title: string): string {
  const widest = Math.max(GOAL.hardware, ...points.map(({ hardware }) => hardware)) + TICK;
  const lowest = Math.min(GOAL.within, ...points.map(({ within }) => within));
  const floor = Math.floor(200 * lowest - 1) / 200;
  const x = (part: number) => PLOT.left + (part / widest) * (PLOT.right - PLOT.left);
  const y = (part: number) => PLOT.bottom - ((part - floor) / (1 - floor)) * (PLOT.bottom - PLOT.top);
  const across = Array.from({ length: Math.floor(widest / TICK) + 1 }, (_, index) => index * TICK);
  const up = Array.from({ length: Math.round((1 - floor) * 200) + 1 }, (_, index) => floor + index / 200);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="sans-serif" font-size="13" fill="${INK}">`,
    `<title>${title}</title>`,
    `<rect width="${SIZE.width}" height="${SIZE.height}" fill="white"/>`,
    text(SIZE.width / 2, 18, title, 'middle'),
    `<rect x="${px(x(0))}" y="${px(y(1))}" width="${px(x(GOAL.hardware) - x(0))}" height="${px(y(GOAL.within) - y(1))}" fill="${GREEN}"/>`,
    text(x(0) + 6, y(GOAL.within) - 6, 'goal', 'start'),
    ...across.flatMap((part) => [
      line(x(part), PLOT.bottom, x(part), PLOT.bottom + 5),
      text(x(part), PLOT.bottom + 20, `${Math.round(100 * part)} %`, 'middle'),
    ]),
    ...up.flatMap((part) => [
      line(PLOT.left - 5, y(part), PLOT.left, y(part)),
      text(PLOT.left - 8, y(part) + 4, `${(100 * part).toFixed(1)} %`, 'end'),
    ]),
    line(PLOT.left, PLOT.bottom, PLOT.right, PLOT.bottom),
    line(PLOT.left, PLOT.top, PLOT.left, PLOT.bottom),
    text((PLOT.left + PLOT.right) / 2, SIZE.height - 14, 'hardware time, part of the reference', 'middle'),
    `<text transform="translate(16 ${(PLOT.top + PLOT.bottom) / 2}) rotate(-90)" text-anchor="middle">qubit-hours within specification</text>`,
    ...points.flatMap(({ name, within, hardware }) => [
      `<circle cx="${px(x(hardware))}" cy="${px(y(within))}" r="5"/>`,
      text(x(hardware) + 9, y(within) + 4, name, 'start'),
    ]),
    '</svg>',
    '',
  ].join('\n');
}

function px(value: number): string {
  return value.toFixed(1);
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" stroke="${GREY}"/>`;
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}">${content}</text>`;
}

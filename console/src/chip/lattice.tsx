import { type KeyboardEvent, memo, type ReactNode, useDeferredValue, useMemo, useRef } from 'react';
import type { Topology } from '../api.ts';

/** Lengths in the picture's own units: one qubit to the next is 100. */
const [PITCH, RADIUS, MARGIN] = [100, 34, 60];
/** Maximum numbers of qubits for which the picture shows their numbers, and their values: beyond, they are too small to read. */
const [NUMBERED, VALUED] = [400, 81];
/** Above this number of qubits, a small picture has no room for their numbers. */
const ROOMY = 36;

/** The appearance of a qubit or coupling. */
export interface Mark {
  fill: string;
  ink: string;
  /** A symbol of the state, or the value in a few characters. */
  text: string;
  /** Read by a screen reader after the name. */
  spoken: string;
  isPulsing?: boolean;
}

interface LatticeProps {
  topology: Topology;
  label: string;
  marks: ReadonlyMap<string, Mark>;
  selected: ReadonlySet<string>;
  onSelect(target: string): void;
  /** Couplings can be selected too. */
  hasCouplings: boolean;
}

interface Place {
  qid: string;
  x: number;
  y: number;
}

/** The qubits of a chip at their places, with their couplings. Arrow keys go from qubit to qubit, Enter selects. */
export function Lattice({ topology, label, marks, selected, onSelect, hasCouplings }: LatticeProps) {
  const svg = useRef<SVGSVGElement>(null);
  const layout = useMemo(() => layoutOf(topology), [topology]);
  const { places, width, height } = layout;
  // The frame is drawn at once, its content in slices: drawing hundreds of qubits at once would block the page.
  const isDrawn = useDeferredValue(true, false);
  const drawnMarks = useDeferredValue(marks);
  const select = useRef(onSelect);
  select.current = onSelect;
  const stable = useMemo(() => (target: string) => select.current(target), []);
  const onKeyDown = (event: KeyboardEvent<SVGSVGElement>) => {
    const step = STEPS[event.key];
    const from =
      event.target instanceof SVGElement ? places.get(event.target.dataset['target'] ?? '') : undefined;
    if (!step || !from) return;
    event.preventDefault();
    const next = nearest([...places.values()], from, step);
    if (next) svg.current?.querySelector<SVGElement>(`[data-target="${CSS.escape(next.qid)}"]`)?.focus();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture is not part of a form
    <svg
      ref={svg}
      className={`lattice${places.size > VALUED ? ' large' : ''}${places.size > ROOMY ? ' dense' : ''}`}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      {isDrawn && <Targets {...{ layout, selected, hasCouplings }} marks={drawnMarks} onSelect={stable} />}
    </svg>
  );
}

interface TargetsProps extends Pick<LatticeProps, 'marks' | 'selected' | 'onSelect' | 'hasCouplings'> {
  layout: Layout;
}

/** All couplings, and the qubits above them. */
const Targets = memo(function Targets({
  layout: { places, lines },
  marks,
  selected,
  onSelect,
  hasCouplings,
}: TargetsProps): ReactNode {
  const first = [...selected].find((each) => places.has(each)) ?? places.keys().next().value;
  return (
    <>
      {lines.map((line) => (
        <Line
          key={line.id}
          line={line}
          mark={marks.get(line.id)}
          isSelected={selected.has(line.id)}
          onSelect={hasCouplings ? onSelect : undefined}
        />
      ))}
      {[...places.values()].map((place) => (
        <Node
          key={place.qid}
          place={place}
          mark={marks.get(place.qid)}
          isSelected={selected.has(place.qid)}
          isTabStop={place.qid === first}
          detail={places.size <= VALUED ? 'value' : places.size <= NUMBERED ? 'number' : 'none'}
          onSelect={onSelect}
        />
      ))}
    </>
  );
});

interface NodeProps {
  place: Place;
  mark: Mark | undefined;
  isSelected: boolean;
  isTabStop: boolean;
  detail: 'value' | 'number' | 'none';
  onSelect(target: string): void;
}

const Node = memo(function Node({
  place,
  mark,
  isSelected,
  isTabStop,
  detail,
  onSelect,
}: NodeProps): ReactNode {
  const { qid, x, y } = place;
  const hasValue = detail === 'value' && mark !== undefined && mark.text !== '';
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a picture has no button elements */}
      <g
        className={`node${mark ? ' marked' : ''}${isSelected ? ' selected' : ''}${mark?.isPulsing ? ' pulsing' : ''}`}
        role="button"
        tabIndex={isTabStop ? 0 : -1}
        aria-label={`Qubit ${qid}${mark?.spoken ? `, ${mark.spoken}` : ''}`}
        aria-pressed={isSelected}
        data-target={qid}
        transform={`translate(${x} ${y})`}
        onClick={() => onSelect(qid)}
        onKeyDown={(event) => isActivating(event) && onSelect(qid)}
      >
        <circle r={RADIUS} style={mark ? { fill: mark.fill } : undefined} />
        {detail !== 'none' && (
          <text
            y={hasValue ? -7 : 0}
            className={hasValue ? 'number small' : 'number'}
            style={{ fill: mark?.ink }}
          >
            {qid}
          </text>
        )}
      </g>
      {hasValue && (
        // Beside the button, whose name says the value with its unit and error.
        <text x={x} y={y + 13} className="shown" style={{ fill: mark.ink }}>
          {mark.text}
        </text>
      )}
    </>
  );
});

interface Drawn {
  id: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

type Layout = ReturnType<typeof layoutOf>;

interface LineProps {
  line: Drawn;
  mark: Mark | undefined;
  isSelected: boolean;
  onSelect: ((target: string) => void) | undefined;
}

const Line = memo(function Line({ line, mark, isSelected, onSelect }: LineProps): ReactNode {
  const { id, ...ends } = line;
  const shown = <line {...ends} className="coupling" style={mark ? { stroke: mark.fill } : undefined} />;
  if (!onSelect) return <g className={mark ? 'marked' : ''}>{shown}</g>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture has no button elements
    <g
      className={`line${isSelected ? ' selected' : ''}${mark ? ' marked' : ''}`}
      role="button"
      tabIndex={-1}
      aria-label={`Coupling ${id}${mark?.spoken ? `, ${mark.spoken}` : ''}`}
      aria-pressed={isSelected}
      data-target={id}
      onClick={() => onSelect(id)}
      onKeyDown={(event) => isActivating(event) && onSelect(id)}
    >
      <line {...ends} className="hit" />
      {shown}
    </g>
  );
});

/** Whether a key activates a button. Prevents that it also scrolls the page. */
function isActivating(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' && event.key !== ' ') return false;
  event.preventDefault();
  return true;
}

const STEPS: Readonly<Record<string, { x: number; y: number } | undefined>> = {
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
};

/** The nearest place in a direction: a place to the side counts as farther away. */
function nearest(places: readonly Place[], from: Place, step: { x: number; y: number }): Place | undefined {
  const far = (place: Place) => {
    const [dx, dy] = [place.x - from.x, place.y - from.y];
    const along = dx * step.x + dy * step.y;
    const aside = Math.abs(dx * step.y) + Math.abs(dy * step.x);
    return along <= 0 ? Number.POSITIVE_INFINITY : along + 2 * aside;
  };
  const found = places.reduce<Place | undefined>(
    (best, each) => (far(each) < (best ? far(best) : Number.POSITIVE_INFINITY) ? each : best),
    undefined,
  );
  return found;
}

function layoutOf(topology: Topology) {
  const entries = Object.entries(topology.qubits).sort(([one], [other]) => Number(one) - Number(other));
  const rows = Math.max(...entries.map(([, { row }]) => row)) + 1;
  const columns = Math.max(...entries.map(([, { col }]) => col)) + 1;
  const places = new Map<string, Place>(
    entries.map(([qid, { row, col }]) => [qid, { qid, x: MARGIN + col * PITCH, y: MARGIN + row * PITCH }]),
  );
  const ids = new Set(topology.couplings.map(([control, target]) => `${control}-${target}`));
  const lines = topology.couplings.flatMap(([control, target]): Drawn[] => {
    const [from, to] = [places.get(String(control)), places.get(String(target))];
    if (!from || !to) return [];
    // Of two couplings between the same qubits, each is drawn from its control to the middle.
    const part = ids.has(`${target}-${control}`) ? 0.5 : 1;
    const [x2, y2] = [from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)];
    return [{ id: `${control}-${target}`, x1: from.x, y1: from.y, x2, y2 }];
  });
  const width = 2 * MARGIN + (columns - 1) * PITCH;
  return { places, lines, width, height: 2 * MARGIN + (rows - 1) * PITCH };
}

import { type MaintainedValue, stateMark, worstState } from '../chip/holding.tsx';
import type { GraphLayout, PlacedTask } from './graph-layout.ts';

const BOX = { width: 210, height: 26, gap: 10, columnGap: 60 };
const MARGIN = 8;
const SIGN_WIDTH = 22;

interface TaskGraphProps {
  layout: GraphLayout;
  /** The values that each task found last. */
  found: ReadonlyMap<string, readonly MaintainedValue[]>;
  chosen: string | undefined;
  onChoose(task: string): void;
}

/** Tasks from left to right, each after those whose values it reads; colour and sign show whether its values hold. */
export function TaskGraph({ layout, found, chosen, onChoose }: TaskGraphProps) {
  const places = new Map(layout.tasks.map((task) => [task.name, placeOf(task)]));
  const width = 2 * MARGIN + layout.columns * (BOX.width + BOX.columnGap) - BOX.columnGap;
  const height = 2 * MARGIN + layout.rows * (BOX.height + BOX.gap) - BOX.gap;
  const near = new Set(
    layout.arrows.flatMap(({ from, to }) => (from === chosen || to === chosen ? [`${from} ${to}`] : [])),
  );
  return (
    <div className="scrolling">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: each task in it is a button with a name of its own */}
      <svg className="task-graph" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {layout.arrows.map(({ from, to }) => {
          const [start, end] = [places.get(from), places.get(to)];
          if (!start || !end) return null;
          const isNear = near.has(`${from} ${to}`);
          return <path key={`${from} ${to}`} className={isNear ? 'near' : ''} d={curve(start, end)} />;
        })}
        {layout.tasks.map((task) => (
          <TaskBox
            key={task.name}
            task={task}
            values={found.get(task.name) ?? []}
            isChosen={task.name === chosen}
            onChoose={() => onChoose(task.name)}
          />
        ))}
      </svg>
    </div>
  );
}

interface TaskBoxProps {
  task: PlacedTask;
  values: readonly MaintainedValue[];
  isChosen: boolean;
  onChoose(): void;
}

function TaskBox({ task, values, isChosen, onChoose }: TaskBoxProps) {
  const { x, y } = placeOf(task);
  const { title, sign, colour } = stateMark(worstState(values));
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML buttons do not exist in SVG
    <g
      role="button"
      tabIndex={0}
      className={`task${isChosen ? ' chosen' : ''}`}
      aria-label={`${task.name}: ${title}`}
      aria-pressed={isChosen}
      transform={`translate(${x} ${y})`}
      onClick={onChoose}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onChoose();
      }}
    >
      <title>
        {values.map(({ parameter_name, state }) => `${parameter_name}: ${stateMark(state).title}`).join('\n')}
      </title>
      <rect className="body" width={BOX.width} height={BOX.height} rx={4} />
      <rect width={SIGN_WIDTH} height={BOX.height} rx={4} fill={`var(--${colour})`} />
      <text className="sign" x={SIGN_WIDTH / 2} y={BOX.height / 2}>
        {sign}
      </text>
      <text x={SIGN_WIDTH + 8} y={BOX.height / 2}>
        {task.name}
      </text>
    </g>
  );
}

function placeOf({ column, row }: PlacedTask): { x: number; y: number } {
  return {
    x: MARGIN + column * (BOX.width + BOX.columnGap),
    y: MARGIN + row * (BOX.height + BOX.gap),
  };
}

/** From the right side of a box to the left side of another one. */
function curve(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
  const bend = BOX.columnGap / 2;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

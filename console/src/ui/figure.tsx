import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { artifactUrl } from '../api.ts';
import { isDark } from '../theme.ts';
import { Problem, Waiting } from './feedback.tsx';

type Plotly = typeof import('plotly.js-cartesian-dist-min').default;

interface Description {
  data: readonly object[];
  layout: object;
}

const CONFIG = {
  displaylogo: false,
  responsive: true,
  modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d'],
};

/** A figure of a task result by the path of its description; zoom with the mouse, double click shows all. */
export function Figure({ path, label }: { path: string; label: string }) {
  const figure = useQuery({
    queryKey: ['figure', path],
    queryFn: async () => {
      const response = await fetch(artifactUrl(path));
      if (!response.ok) throw new Error('This figure cannot be read; its file may have been removed.');
      const description: Description = await response.json();
      return description;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (figure.error) return <Problem error={figure.error} />;
  if (!figure.data) return <Waiting title="Figure" />;
  return <Plot {...figure.data} label={label} />;
}

/** A plot in the colours of the page. The library is loaded with the first one. */
export function Plot({ data, layout, label }: Description & { label: string }) {
  const place = useRef<HTMLElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let isGone = false;
    let drawn: Plotly | undefined;
    void import('plotly.js-cartesian-dist-min').then(({ default: library }) => {
      if (isGone) return;
      drawn = library;
      void library.react(element, data, themed(layout, isDark, data.some(isMap)), CONFIG);
    });
    return () => {
      isGone = true;
      drawn?.purge(element);
    };
  }, [data, layout, isDark]);
  return <section ref={place} className="figure" aria-label={label} />;
}

function isMap(trace: object): boolean {
  return Reflect.get(trace, 'type') === 'heatmap';
}

/** Lines on a map are black, white or bright. All of them are visible on the medium grey of this legend. */
function mapLegend(isDark: boolean): object {
  return isDark
    ? { bgcolor: '#57616b', font: { size: 11, color: '#ffffff' } }
    : { bgcolor: '#a3acb5', font: { size: 11, color: '#10161b' } };
}

/** A layout in the colours of the page. */
function themed(layout: object, isDark: boolean, hasMap: boolean): object {
  const [ink, grid] = isDark ? ['#c9d1d9', '#303841'] : ['#24292f', '#e3e6ea'];
  const lines = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true };
  const names = ['xaxis', 'yaxis', ...Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))];
  const axes = names.map((name) => {
    const axis = objectAt(layout, name);
    return [
      name,
      { ...axis, ...lines, title: { standoff: 6, ...objectAt(axis, 'title'), font: { size: 12 } } },
    ];
  });
  return {
    ...layout,
    ...Object.fromEntries(axes),
    title: { ...objectAt(layout, 'title'), x: 0, xanchor: 'left', font: { size: 12 } },
    legend: {
      orientation: 'h',
      yref: 'container',
      y: 0,
      font: { size: 11 },
      ...(hasMap && mapLegend(isDark)),
    },
    margin: { l: 48, r: 12, t: 32, b: 24 },
    autosize: true,
    width: undefined,
    height: undefined,
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { family: 'system-ui, sans-serif', size: 12, color: ink },
  };
}

function objectAt(holder: object, key: string): object {
  const found: unknown = Reflect.get(holder, key);
  return typeof found === 'object' && found !== null ? found : {};
}

/** Whether the page is dark: chosen here, or else in the user's system. */
export function useIsDark(): boolean {
  return useSyncExternalStore(watchTheme, isDark);
}

function watchTheme(changed: () => void): () => void {
  const media = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  media.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    media.removeEventListener('change', changed);
  };
}

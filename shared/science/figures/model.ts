import { z } from 'zod';

/** The role a figure plays beside others of its task: the bare data, or the data with what the analysis found. */
const figureRole = z.enum(['raw', 'marked']);

/** Text to be drawn. */
const drawnText = z.string().refine((text) => !text.includes('\0'), 'must have no NUL');

/**
 * A complete Plotly figure (`data` and `layout`). It is the content of the JSON file and the source of the PNG. Only
 * the subset that our analyses use is typed.
 */
const figureTrace = z.object({
  type: z.enum(['scatter', 'heatmap', 'bar']),
  mode: z.enum(['markers', 'lines', 'lines+markers']).optional(),
  name: drawnText,
  /** Axes of the trace's panel, if the figure has several panels. */
  xaxis: z.string().optional(),
  yaxis: z.string().optional(),
  x: z.array(z.number()),
  y: z.array(z.number()),
  z: z.array(z.array(z.number().nullable())).optional(),
  /** Ends of the colour scale of a heat map; by default those of its values. */
  zmin: z.number().optional(),
  zmax: z.number().optional(),
  /** Colours by their positions from 0 to 1 on the scale of a heat map; by default Viridis, as in Plotly. */
  colorscale: z.array(z.tuple([z.number(), z.string()])).optional(),
  /** The texts in the cells of a heat map, and Plotly's template that shows them. */
  text: z.array(z.array(drawnText)).optional(),
  texttemplate: z.literal('%{text}').optional(),
  /** Colours that replace those of the sequence: for marks on a heat map, and for a series in two panels. */
  marker: z.object({ color: z.string(), size: z.number().optional() }).optional(),
  line: z.object({ color: z.string().optional(), dash: z.enum(['dash', 'dot']).optional() }).optional(),
  opacity: z.number().optional(),
  /** False if another trace of the legend has the same name. */
  showlegend: z.literal(false).optional(),
  /** Half the length of the error bar of each point. */
  error_y: z.object({ type: z.literal('data'), array: z.array(z.number()) }).optional(),
});
const figureAxis = z.object({
  title: z.object({ text: drawnText }),
  type: z.enum(['linear', 'log']).optional(),
  /** Lock the scale to the named axis, as Plotly does: used for IQ planes. */
  scaleanchor: z.string().optional(),
  /** Fraction of the figure that the axis of a panel takes, and the axis to which it is anchored. */
  domain: z.array(z.number()).optional(),
  anchor: z.string().optional(),
  /** The axis with which this one zooms and pans. */
  matches: z.string().optional(),
  showticklabels: z.literal(false).optional(),
  /** Ends of the axis; by default those of its values. */
  range: z.tuple([z.number(), z.number()]).optional(),
  /** The first row of a matrix is at the top. */
  autorange: z.literal('reversed').optional(),
  /** Labels that replace the numbers of an axis, and their positions. */
  tickvals: z.array(z.number()).optional(),
  ticktext: z.array(drawnText).optional(),
});
export const figure = z.object({
  data: z.array(figureTrace),
  layout: z.object({
    title: z.object({ text: drawnText }),
    xaxis: figureAxis,
    yaxis: figureAxis,
    /** Axes of the second and further panels. */
    xaxis2: figureAxis.optional(),
    yaxis2: figureAxis.optional(),
    xaxis3: figureAxis.optional(),
    yaxis3: figureAxis.optional(),
    xaxis4: figureAxis.optional(),
    yaxis4: figureAxis.optional(),
    /** Panels with the same traces share a legend. */
    showlegend: z.literal(true).optional(),
    width: z.number().min(50).max(4000),
    height: z.number().min(50).max(4000),
    /** Bars of a histogram overlap and leave no gaps. */
    barmode: z.literal('overlay').optional(),
    bargap: z.number().optional(),
    meta: z
      .object({
        figure_role: figureRole.optional(),
        /** The same under the name that existing clients read. */
        qdash_figure_role: figureRole.optional(),
      })
      .optional(),
  }),
});
export type Figure = z.infer<typeof figure>;

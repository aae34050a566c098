import { z } from 'zod';

/** The role a figure plays beside others of its task: the bare data, or the data with what the analysis found. */
export const figureRole = z.enum(['raw', 'marked']);

/**
 * A complete Plotly figure (`data` and `layout`), the one description that the JSON file holds
 * and the PNG is drawn from. Only the subset that our analyses use is typed.
 */
export const figureTrace = z.object({
  type: z.enum(['scatter', 'heatmap']),
  mode: z.enum(['markers', 'lines', 'lines+markers']).optional(),
  name: z.string(),
  x: z.array(z.number()),
  y: z.array(z.number()),
  z: z.array(z.array(z.number().nullable())).optional(),
});
export const figureAxis = z.object({
  title: z.object({ text: z.string() }),
  type: z.enum(['linear', 'log']).optional(),
  /** Lock the scale to the named axis, as Plotly does: used for IQ planes. */
  scaleanchor: z.string().optional(),
});
export const figure = z.object({
  data: z.array(figureTrace),
  layout: z.object({
    title: z.object({ text: z.string() }),
    xaxis: figureAxis,
    yaxis: figureAxis,
    width: z.number(),
    height: z.number(),
    meta: z.object({ figure_role: figureRole.optional() }).optional(),
  }),
});
export type Figure = z.infer<typeof figure>;

import { z } from 'zod';
import type { OwnAnalysisAnswer } from '../shared/domain/reanalysis/workflow-model.ts';
import { readTargetResult } from './backends/backend.ts';
import type { OwnAnalysisActivities } from './contracts/own-analysis.ts';
import { readFinishedValues } from './record/finished-values.ts';

const plotly = z.record(z.string(), z.unknown());

/** Reads what workers of backends found in stored data of their own tasks. Nothing is stored, so no gate decides. */
export const ownAnalysisActivities: OwnAnalysisActivities = {
  async readOwnAnalysis({ outputs, answer }): Promise<OwnAnalysisAnswer> {
    const read = readTargetResult(answer);
    if (typeof read === 'string') return { problem: read };
    const finished = readFinishedValues(read, outputs);
    if (typeof finished === 'string') return { problem: finished };
    const values = Object.entries(finished.outputs).flatMap(([name, { value }]) => {
      const unit = Object.hasOwn(outputs, name) ? outputs[name]?.unit : undefined;
      return value === null || unit === undefined ? [] : [{ name, value, unit }];
    });
    return { figure: figureOf(read.figures?.[0]), outputs: values };
  },
};

/** A figure as an object; empty if there is none that can be read. */
function figureOf(given: unknown): Record<string, unknown> {
  return plotly.safeParse(typeof given === 'string' ? parsed(given) : given).data ?? {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

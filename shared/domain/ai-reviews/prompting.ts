import type { CopilotSettings } from '../language-models/model.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { createEvidence } from './evidence.ts';
import { reviewPrompt } from './prompt-rules.ts';

/** The current prompt and pictures for the review of a result. */
export async function promptOf(
  evidence: Pick<ReturnType<typeof createEvidence>, 'knowledge' | 'pictures' | 'current'>,
  result: TaskResultDocument,
  settings: Pick<CopilotSettings, 'analysis' | 'scoring' | 'response_language'> & { instructions: string },
) {
  const { analysis, response_language: language, scoring, instructions } = settings;
  const [known, own, current] = await Promise.all([
    evidence.knowledge(result, analysis.max_expected_images),
    evidence.pictures(result),
    evidence.current(result),
  ]);
  const pictures = [...own, ...known.expected];
  const { system, question } = reviewPrompt({
    result,
    knowledge: known.text,
    current,
    scoring,
    pictures: pictures.map(({ name }) => name),
    language,
    instructions,
  });
  return { known, own, current, pictures, system, question };
}

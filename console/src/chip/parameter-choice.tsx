import type { Parameter } from '../api.ts';
import { Choice } from '../ui/choice.tsx';

interface ParameterChoiceProps {
  parameter: string;
  parameters: readonly [string, Parameter][];
  onChoose(parameter: string): void;
}

/** One of the known parameters of a target. */
export function ParameterChoice({ parameter, parameters, onChoose }: ParameterChoiceProps) {
  return (
    <Choice
      label="Parameter"
      value={parameter}
      options={parameters.map(([name]) => ({ id: name, text: name }))}
      onChange={onChoose}
    />
  );
}

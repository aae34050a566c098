import { z } from 'zod';
import { type YamlSettings, yamlSettings } from '../../kernel/yaml-settings.ts';
import { type Endpoint, endpointOf } from './endpoint-rules.ts';
import { type CopilotSettings, copilotFileContent } from './model.ts';
import { modelsOf } from './rules.ts';

/** `copilot.yaml` of the configuration, which may be empty. A model at an address that is not allowed is refused. */
export function copilotFile(endpoints: readonly Endpoint[]): YamlSettings<CopilotSettings> {
  const content = z
    .preprocess((given) => given ?? {}, copilotFileContent)
    .superRefine((settings, context) => {
      for (const { name } of modelsOf(settings).filter((model) => endpointOf(model, endpoints) === null)) {
        context.addIssue({
          code: 'custom',
          message: `the address of model ${name} is not in the setting AI_ENDPOINTS, by which an operator allows it`,
        });
      }
    });
  return yamlSettings('copilot.yaml', content);
}

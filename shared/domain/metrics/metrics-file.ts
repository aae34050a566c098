import { yamlSettings } from '../../kernel/yaml-settings.ts';
import { metricsFileContent } from './model.ts';

/** `metrics.yaml` of the configuration. */
export const metricsFile = yamlSettings('metrics.yaml', metricsFileContent);

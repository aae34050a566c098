import { noAreas } from '../kernel/area.ts';
import { accounts } from './accounts/index.ts';
import { administration } from './administration/index.ts';
import { agentSessions } from './agent-sessions/index.ts';
import { aiReviews } from './ai-reviews/index.ts';
import { approvals } from './approvals/index.ts';
import { artifacts } from './artifacts/index.ts';
import { audit } from './audit/index.ts';
import { backendWorkers } from './backend-workers/index.ts';
import { backends } from './backends/index.ts';
import { calibrations } from './calibrations/index.ts';
import { chat } from './chat/index.ts';
import { chatSessions } from './chat-sessions/index.ts';
import { chips } from './chips/index.ts';
import { configuration } from './configuration/index.ts';
import { cooldowns } from './cooldowns/index.ts';
import { copilot } from './copilot/index.ts';
import { deployments } from './deployments/index.ts';
import { deviceTopology } from './device-topology/index.ts';
import { diskSpace } from './disk-space/index.ts';
import { executions } from './executions/index.ts';
import { explanations } from './explanations/index.ts';
import { flows } from './flows/index.ts';
import { forum } from './forum/index.ts';
import { identityProvider } from './identity-provider/index.ts';
import { imageProcessing } from './image-processing/index.ts';
import { images } from './images/index.ts';
import { issues } from './issues/index.ts';
import { knowledgeCases } from './knowledge-cases/index.ts';
import { languageModels } from './language-models/index.ts';
import { maintenance } from './maintenance/index.ts';
import { measurementUploads } from './measurement-uploads/index.ts';
import { menuSchedules } from './menu-schedules/index.ts';
import { menus } from './menus/index.ts';
import { metrics } from './metrics/index.ts';
import { notes } from './notes/index.ts';
import { notifications } from './notifications/index.ts';
import { parsing } from './parsing/index.ts';
import { projects } from './projects/index.ts';
import { provenance } from './provenance/index.ts';
import { reanalysis } from './reanalysis/index.ts';
import { results } from './results/index.ts';
import { retention } from './retention/index.ts';
import { runs } from './runs/index.ts';
import { schedules } from './schedules/index.ts';
import type { Settings } from './settings.ts';
import { systemUpdates } from './system-updates/index.ts';
import { taskKnowledge } from './task-knowledge/index.ts';
import { topologies } from './topologies/index.ts';
import { updateGate } from './update-gate/index.ts';

/** All areas of the domain, each listed after its dependencies. Defines their collections and operations. */
export const domain = noAreas<Settings>()
  .with(audit)
  .with(diskSpace)
  .with(parsing)
  .with(imageProcessing)
  .with(artifacts)
  .with(configuration)
  .with(languageModels)
  .with(backends)
  .with(accounts)
  .with(chatSessions)
  .with(results)
  .with(provenance)
  .with(topologies)
  .with(knowledgeCases)
  .with(images)
  .with(taskKnowledge)
  .with(chips)
  .with(aiReviews)
  .with(metrics)
  .with(deviceTopology)
  .with(maintenance)
  .with(cooldowns)
  .with(flows)
  .with(menus)
  .with(copilot)
  .with(executions)
  .with(reanalysis)
  .with(backendWorkers)
  .with(measurementUploads)
  .with(approvals)
  .with(updateGate)
  .with(runs)
  .with(deployments)
  .with(systemUpdates)
  .with(calibrations)
  .with(agentSessions)
  .with(schedules)
  .with(menuSchedules)
  .with(projects)
  .with(notifications)
  .with(chat)
  .with(forum)
  .with(notes)
  .with(issues)
  .with(retention)
  .with(explanations)
  .with(administration)
  .with(identityProvider);

/** The operations of all areas. */
export type Areas = ReturnType<typeof domain.open>['areas'];

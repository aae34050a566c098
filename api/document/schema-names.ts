import { z } from 'zod';
import * as accounts from '../../shared/domain/accounts/model.ts';
import * as programTokens from '../../shared/domain/accounts/program-token-model.ts';
import * as accountsSecondFactor from '../../shared/domain/accounts/second-factor-model.ts';
import * as administration from '../../shared/domain/administration/model.ts';
import * as agentSessionsAction from '../../shared/domain/agent-sessions/action-model.ts';
import * as agentSessionsCommit from '../../shared/domain/agent-sessions/commit-model.ts';
import * as agentSessions from '../../shared/domain/agent-sessions/model.ts';
import * as aiReviews from '../../shared/domain/ai-reviews/model.ts';
import * as approvals from '../../shared/domain/approvals/model.ts';
import * as audit from '../../shared/domain/audit/model.ts';
import * as backends from '../../shared/domain/backends/model.ts';
import * as calibrations from '../../shared/domain/calibrations/model.ts';
import * as chatSessions from '../../shared/domain/chat-sessions/model.ts';
import * as chips from '../../shared/domain/chips/model.ts';
import * as configuration from '../../shared/domain/configuration/model.ts';
import * as cooldowns from '../../shared/domain/cooldowns/model.ts';
import * as copilot from '../../shared/domain/copilot/model.ts';
import * as deviceTopology from '../../shared/domain/device-topology/model.ts';
import * as executions from '../../shared/domain/executions/model.ts';
import * as explanations from '../../shared/domain/explanations/model.ts';
import * as flows from '../../shared/domain/flows/model.ts';
import * as flowsSavedFlow from '../../shared/domain/flows/saved-flow-model.ts';
import * as forum from '../../shared/domain/forum/model.ts';
import * as images from '../../shared/domain/images/model.ts';
import * as issues from '../../shared/domain/issues/model.ts';
import * as knowledgeCases from '../../shared/domain/knowledge-cases/model.ts';
import * as languageModels from '../../shared/domain/language-models/model.ts';
import * as languageModelsAnswers from '../../shared/domain/language-models/wire.ts';
import * as menuSchedules from '../../shared/domain/menu-schedules/model.ts';
import * as menus from '../../shared/domain/menus/model.ts';
import * as metrics from '../../shared/domain/metrics/model.ts';
import * as notes from '../../shared/domain/notes/model.ts';
import * as notifications from '../../shared/domain/notifications/model.ts';
import * as projects from '../../shared/domain/projects/model.ts';
import * as serviceAccounts from '../../shared/domain/projects/service-account-model.ts';
import * as provenance from '../../shared/domain/provenance/model.ts';
import * as reanalysis from '../../shared/domain/reanalysis/model.ts';
import * as exclusions from '../../shared/domain/results/exclusion-model.ts';
import * as results from '../../shared/domain/results/model.ts';
import * as runs from '../../shared/domain/runs/model.ts';
import * as runsRequest from '../../shared/domain/runs/request-model.ts';
import * as schedules from '../../shared/domain/schedules/model.ts';
import * as systemUpdates from '../../shared/domain/system-updates/model.ts';
import * as taskKnowledge from '../../shared/domain/task-knowledge/model.ts';
import * as topologyFiles from '../../shared/science/topology/model.ts';

/**
 * The names of the schemas in the OpenAPI document that are not named where they are defined. A schema that occurs more
 * than once needs a name, so that clients generated from the document have one type for it.
 */
const names: Readonly<Record<string, z.ZodType>> = {
  LoginForm: accounts.loginForm,
  ProgramTokenCreate: programTokens.programTokenRequest,
  PasswordChange: accounts.passwordChange,
  ProfileChange: accounts.profileChange,
  SecondFactorSetup: accountsSecondFactor.newSecondFactor,
  RecoveryCodes: accountsSecondFactor.recoveryCodes,
  SecondFactorConfirmation: accountsSecondFactor.secondFactorConfirmation,
  SecondFactorRemoval: accountsSecondFactor.secondFactorRemoval,
  SecondFactorRequest: accountsSecondFactor.secondFactorRequest,
  PasswordReset: administration.passwordReset,
  PasswordResetAnswer: administration.passwordResetAnswer,
  Registration: administration.registration,
  UserChange: administration.userChange,
  UserImport: administration.importAnswer,
  UserList: administration.userList,
  AgentActionExecution: agentSessionsAction.executeAction,
  AgentActionList: agentSessionsAction.agentActionList,
  AgentActionCreate: agentSessionsAction.newAction,
  AgentCandidateList: agentSessionsCommit.agentCandidateList,
  AgentCommitApplication: agentSessionsCommit.applyCommit,
  AgentCampaignCreate: agentSessionsCommit.newCampaign,
  AgentCommitCreate: agentSessionsCommit.newCommit,
  AgentBound: agentSessions.bound,
  AgentGateQuestion: agentSessions.gateQuestion,
  AgentSessionList: agentSessions.agentSessionList,
  GivenAgentPolicy: agentSessions.givenPolicy,
  AgentSessionCreate: agentSessions.newAgentSession,
  AiReviewQuality: aiReviews.reviewQuality,
  AiReviewRequest: aiReviews.bulkReview,
  CancelledAiReviews: aiReviews.cancelledReviews,
  RequestedAiReviews: aiReviews.requestedReviews,
  Approval: approvals.approval,
  ApprovalList: approvals.approvalList,
  ApprovalReply: approvals.approvalReply,
  AuditList: audit.auditList,
  BackendConfig: backends.backendConfig,
  BackendList: backends.backendList,
  DefinitionParameter: backends.definitionParameter,
  TaskDefinitionList: backends.taskDefinitionList,
  TaskFileBackends: backends.taskFileBackends,
  TaskFileContent: backends.taskFileContent,
  TaskFileList: backends.taskFileList,
  TaskFileSettings: backends.taskFileSettings,
  CalibrationNote: calibrations.calibrationNote,
  ManualEditList: calibrations.manualEditList,
  ParameterEdit: calibrations.change,
  ParameterEdits: calibrations.editParameters,
  SeedComparison: calibrations.seedComparison,
  SeedImport: calibrations.seedImport,
  SeedImportRequest: calibrations.importSeeds,
  SeedParameters: calibrations.seedParameters,
  AppendedMessages: chatSessions.appendedMessages,
  ChatMessage: chatSessions.chatMessage,
  ChatSessionChange: chatSessions.chatSessionChange,
  ChatSessionItem: chatSessions.chatSessionItem,
  ChatSessionList: chatSessions.chatSessionList,
  ChatMessageCreate: chatSessions.newMessage,
  ChatSessionCreate: chatSessions.newChatSession,
  ChipChange: chips.chipChange,
  ChipDates: chips.chipDates,
  ChipList: chips.chipList,
  CouplingList: chips.couplingList,
  DeletionImpact: chips.deletionImpact,
  Mux: chips.mux,
  MuxEntry: chips.muxEntry,
  MuxList: chips.muxList,
  ChipCreate: chips.newChip,
  QubitList: chips.qubitList,
  ConfigurationReloadAnswer: configuration.reloadAnswer,
  FileValidation: configuration.validateRequest,
  FileValidationAnswer: configuration.validateAnswer,
  FileWrite: configuration.writeRequest,
  FileWriteAnswer: configuration.writeAnswer,
  RepositoryPullAnswer: configuration.pullAnswer,
  RepositoryPush: configuration.pushRequest,
  RepositoryPushAnswer: configuration.pushAnswer,
  CooldownChange: cooldowns.cooldownChange,
  CooldownList: cooldowns.cooldownList,
  CryostatChange: cooldowns.cryostatChange,
  CryostatList: cooldowns.cryostatList,
  CheckpointCreate: cooldowns.newCheckpoint,
  CooldownCreate: cooldowns.newCooldown,
  CryostatCreate: cooldowns.newCryostat,
  WiringEventList: cooldowns.wiringEventList,
  AnalysisQuestion: copilot.analyzeBody,
  ChatQuestion: copilot.chatBody,
  FlowDraftQuestion: copilot.draftBody,
  DeviceCondition: deviceTopology.condition,
  DeviceCoupling: deviceTopology.deviceCoupling,
  DeviceQubit: deviceTopology.deviceQubit,
  DeviceRequest: deviceTopology.deviceRequest,
  Execution: executions.executionDetail,
  ExecutionList: executions.executionList,
  ExecutionLog: executions.executionLog,
  ExecutionLogEntry: executions.executionLogEntry,
  ExecutionNote: executions.executionNote,
  ExecutionStage: executions.executionStage,
  ExecutionStageDetail: executions.executionStageDetail,
  ExecutionStageList: executions.executionStageList,
  ExecutionSummary: executions.executionSummary,
  TagList: executions.tagList,
  TaskYield: executions.taskYield,
  ExplainedParameter: explanations.input,
  FlowTemplate: flows.flowTemplate,
  FlowList: flowsSavedFlow.flowList,
  FlowTemplateDetail: flowsSavedFlow.flowTemplateDetail,
  FlowVersionList: flowsSavedFlow.flowVersionList,
  FlowCreate: flowsSavedFlow.newFlow,
  SavedFlowAnswer: flowsSavedFlow.savedFlowAnswer,
  ForumCategoryChange: forum.categoryChange,
  ForumCategoryList: forum.categoryList,
  ForumModelQuestion: forum.aiQuestion,
  ForumPostChange: forum.postChange,
  ForumThreadList: forum.threadPage,
  ForumCategoryCreate: forum.newCategory,
  ForumPostCreate: forum.newPost,
  UploadedImage: images.uploadedImage,
  IssueChange: issues.issueChange,
  IssueList: issues.issueList,
  IssueModelQuestion: issues.modelQuestion,
  IssueCreate: issues.newIssue,
  KnowledgeCaseChange: knowledgeCases.caseChange,
  KnowledgeCaseList: knowledgeCases.knowledgeCaseList,
  ModelOverride: languageModels.modelOverride,
  LanguageModel: languageModelsAnswers.shownModel,
  ShownCopilotConfig: languageModelsAnswers.shownCopilot,
  CronSlot: menuSchedules.cronSlot,
  CronSlotList: menuSchedules.cronSlotList,
  CronSlotCreate: menuSchedules.newCronSlot,
  MenuScheduleCreate: menuSchedules.newMenuSchedule,
  MenuList: menus.menuList,
  MenuBody: menus.menuBody,
  CdfGroup: metrics.cdfGroup,
  ChipMetrics: metrics.chipMetrics,
  CouplingMetricHistory: metrics.couplingMetricHistory,
  MetricDefinition: metrics.metricInFile,
  MetricHeatmap: metrics.heatmap,
  MetricHistoryItem: metrics.historyItem,
  MetricInsights: metrics.insights,
  MetricRange: metrics.range,
  MetricValue: metrics.metricValue,
  MetricsConfig: metrics.metricsConfig,
  MetricsFileContent: metrics.metricsFileContent,
  MetricsSummary: metrics.metricsSummary,
  QubitMetricHistory: metrics.qubitMetricHistory,
  ShownMetric: metrics.metricShown,
  NoteEventList: notes.noteEventList,
  NoteText: notes.noteText,
  NotesSummary: notes.notesSummary,
  TargetNotes: notes.targetNotes,
  TaskNotes: notes.taskNotes,
  NotificationList: notifications.inbox,
  NotificationsRead: notifications.readAllAnswer,
  UnreadNotifications: notifications.unreadCount,
  AdminMemberList: projects.adminMemberList,
  AdminProjectList: projects.adminProjectList,
  ProjectCreate: projects.newProject,
  ServiceAccountCreate: serviceAccounts.serviceAccountRequest,
  ProjectMemberCreate: projects.newMember,
  OwnershipTransfer: projects.transfer,
  ProjectChange: projects.projectChange,
  ProjectList: projects.projectList,
  ProjectMemberChange: projects.memberChange,
  ProjectMemberList: projects.memberList,
  ComparedParameter: provenance.comparedParameter,
  DegradationTrend: provenance.degradationTrend,
  DegradationTrends: provenance.degradationTrends,
  Lineage: provenance.lineage,
  LineageEdge: provenance.lineageEdge,
  LineageNode: provenance.lineageNode,
  ParameterChange: provenance.parameterChange,
  ParameterChanges: provenance.parameterChanges,
  ParameterVersion: provenance.parameterVersion,
  ProvenanceActivity: provenance.provenanceActivity,
  ProvenanceComparison: provenance.comparison,
  ProvenanceExecutions: provenance.provenanceExecutions,
  ProvenanceHistory: provenance.provenanceHistory,
  ProvenanceRecommendations: provenance.recommendations,
  ProvenanceStats: provenance.provenanceStats,
  OwnTaskReanalysis: reanalysis.ownTaskReanalysis,
  QubitReanalysis: reanalysis.qubitReanalysis,
  ResonatorReanalysis: reanalysis.resonatorReanalysis,
  AiReviewState: results.aiReviewState,
  ExcludeResult: exclusions.excludeResult,
  ExecutionTask: results.executionTask,
  GateResult: results.gateResult,
  LatestEntry: results.latestEntry,
  MeasuredEntry: results.measuredEntry,
  PendingEntry: results.pendingEntry,
  OutputSeries: results.outputSeries,
  ParameterRecord: results.storedParameter,
  RunParameterRecord: results.storedRunParameter,
  TaskResult: results.taskResult,
  TaskResultItem: results.taskResultItem,
  AiReviewNote: results.noteObject,
  CancelResult: runs.cancelResult,
  LockStatus: runs.lockStatus,
  ProjectAvailability: runs.availability,
  RunControlAnswer: runs.runControlAnswer,
  StartedRun: runs.startedRun,
  CheckAvailability: runsRequest.checkAvailability,
  ExecutionReExecution: runsRequest.reExecuteExecution,
  ExecutionRetry: runsRequest.retryExecution,
  FlowExecution: runsRequest.executeFlow,
  TaskExecution: runsRequest.executeTask,
  TaskReExecution: runsRequest.reExecuteTask,
  ScheduleCreate: schedules.newSchedule,
  ScheduleAnswer: schedules.scheduleAnswer,
  ScheduleChange: schedules.scheduleChange,
  ScheduleChanged: schedules.scheduleChanged,
  ScheduleDeleted: schedules.scheduleDeleted,
  ScheduleList: schedules.scheduleList,
  SystemUpdateStart: systemUpdates.startUpdate,
  ExpectedResult: taskKnowledge.expectedResult,
  FailureMode: taskKnowledge.failureMode,
  KnowledgeCase: taskKnowledge.knowledgeCase,
  KnowledgeImage: taskKnowledge.image,
  TaskKnowledgeList: taskKnowledge.taskKnowledgeList,
  TaskKnowledgeSummary: taskKnowledge.summaryItem,
  TopologyItem: topologyFiles.topologyItem,
};

for (const [id, schema] of Object.entries(names)) {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
}

"""Every operation of the interface. Generated; see python/generator."""

from .accounts import AccountsOperations, AsyncAccountsOperations
from .administration import AdministrationOperations, AsyncAdministrationOperations
from .agent_sessions import AgentSessionsOperations, AsyncAgentSessionsOperations
from .ai_reviews import AiReviewsOperations, AsyncAiReviewsOperations
from .approvals import ApprovalsOperations, AsyncApprovalsOperations
from .chips import AsyncChipsOperations, ChipsOperations
from .cooldowns import AsyncCooldownsOperations, CooldownsOperations
from .copilot import AsyncCopilotOperations, CopilotOperations
from .cryostats import AsyncCryostatsOperations, CryostatsOperations
from .executions import AsyncExecutionsOperations, ExecutionsOperations
from .files import AsyncFilesOperations, FilesOperations
from .flows import AsyncFlowsOperations, FlowsOperations
from .forum import AsyncForumOperations, ForumOperations
from .issues import AsyncIssuesOperations, IssuesOperations
from .metrics import AsyncMetricsOperations, MetricsOperations
from .notes import AsyncNotesOperations, NotesOperations
from .notifications import AsyncNotificationsOperations, NotificationsOperations
from .projects import AsyncProjectsOperations, ProjectsOperations
from .provenance import AsyncProvenanceOperations, ProvenanceOperations
from .schedules import AsyncSchedulesOperations, SchedulesOperations
from .service import AsyncServiceOperations, ServiceOperations
from .task_results import AsyncTaskResultsOperations, TaskResultsOperations
from .tasks import AsyncTasksOperations, TasksOperations
from .topology import AsyncTopologyOperations, TopologyOperations

FINGERPRINT = "7ecc02ee71df668c6980932d6cdf6cfe554ae3232b3de9afe4457c3dd18ae945"
"""Of the OpenAPI document that this was made from."""


class Operations(
    AccountsOperations,
    ProjectsOperations,
    AdministrationOperations,
    ChipsOperations,
    CooldownsOperations,
    CryostatsOperations,
    TopologyOperations,
    MetricsOperations,
    ProvenanceOperations,
    NotesOperations,
    ForumOperations,
    IssuesOperations,
    NotificationsOperations,
    FlowsOperations,
    SchedulesOperations,
    TasksOperations,
    ServiceOperations,
    FilesOperations,
    ApprovalsOperations,
    ExecutionsOperations,
    CopilotOperations,
    AiReviewsOperations,
    TaskResultsOperations,
    AgentSessionsOperations,
):
    """Every operation."""


class AsyncOperations(
    AsyncAccountsOperations,
    AsyncProjectsOperations,
    AsyncAdministrationOperations,
    AsyncChipsOperations,
    AsyncCooldownsOperations,
    AsyncCryostatsOperations,
    AsyncTopologyOperations,
    AsyncMetricsOperations,
    AsyncProvenanceOperations,
    AsyncNotesOperations,
    AsyncForumOperations,
    AsyncIssuesOperations,
    AsyncNotificationsOperations,
    AsyncFlowsOperations,
    AsyncSchedulesOperations,
    AsyncTasksOperations,
    AsyncServiceOperations,
    AsyncFilesOperations,
    AsyncApprovalsOperations,
    AsyncExecutionsOperations,
    AsyncCopilotOperations,
    AsyncAiReviewsOperations,
    AsyncTaskResultsOperations,
    AsyncAgentSessionsOperations,
):
    """Every operation, as coroutines."""

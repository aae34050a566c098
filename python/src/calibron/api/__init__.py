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
from .maintenance import AsyncMaintenanceOperations, MaintenanceOperations
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

FINGERPRINT = "1bca5e4f15eb31b0aa42bee0346fb1ab4ee395e3c49007930b71cbd6e7be4381"
"""Of the OpenAPI document that this was made from."""


class Operations(
    AccountsOperations,
    AdministrationOperations,
    AgentSessionsOperations,
    AiReviewsOperations,
    ApprovalsOperations,
    ChipsOperations,
    CooldownsOperations,
    CopilotOperations,
    CryostatsOperations,
    ExecutionsOperations,
    FilesOperations,
    FlowsOperations,
    ForumOperations,
    IssuesOperations,
    MaintenanceOperations,
    MetricsOperations,
    NotesOperations,
    NotificationsOperations,
    ProjectsOperations,
    ProvenanceOperations,
    SchedulesOperations,
    ServiceOperations,
    TaskResultsOperations,
    TasksOperations,
    TopologyOperations,
):
    """Every operation."""


class AsyncOperations(
    AsyncAccountsOperations,
    AsyncAdministrationOperations,
    AsyncAgentSessionsOperations,
    AsyncAiReviewsOperations,
    AsyncApprovalsOperations,
    AsyncChipsOperations,
    AsyncCooldownsOperations,
    AsyncCopilotOperations,
    AsyncCryostatsOperations,
    AsyncExecutionsOperations,
    AsyncFilesOperations,
    AsyncFlowsOperations,
    AsyncForumOperations,
    AsyncIssuesOperations,
    AsyncMaintenanceOperations,
    AsyncMetricsOperations,
    AsyncNotesOperations,
    AsyncNotificationsOperations,
    AsyncProjectsOperations,
    AsyncProvenanceOperations,
    AsyncSchedulesOperations,
    AsyncServiceOperations,
    AsyncTaskResultsOperations,
    AsyncTasksOperations,
    AsyncTopologyOperations,
):
    """Every operation, as coroutines."""

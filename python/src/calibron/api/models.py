"""Models of the interface. Generated; see python/generator."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, Literal

from pydantic import ConfigDict, Field, RootModel

from calibron.transport.model import Model


class AdminBulkImportUsersBody(Model):
    file: bytes


class AdminMember(Model):
    user_id: str
    username: str
    display_name: str | None
    organization: str | None
    avatar_key: str | None
    role: Literal["owner", "editor", "viewer"] | str
    status: Literal["pending", "active", "revoked"] | str


class AdminMemberList(Model):
    members: list[AdminMember]
    total: int


class AdminProject(Model):
    project_id: str
    name: str
    owner_user_id: str
    owner_username: str
    description: str | None
    member_count: int
    """
    Active members, the owner included.
    """
    created_at: datetime


class AdminProjectList(Model):
    projects: list[AdminProject]
    total: int


class AdminUser(Model):
    user_id: str
    username: str
    display_name: str | None
    organization: str | None
    avatar_key: str | None
    disabled: bool
    default_project_id: str | None
    must_change_password: bool
    system_role: Literal["admin", "user"] | str
    created_at: datetime
    updated_at: datetime


class AgentAction(Model):
    action_id: str
    session_id: str
    idempotency_key: str
    action_type: Literal["run_task", "request_human", "complete_session"] | str
    task_name: str
    qids: list[str]
    parameter_overrides: dict[str, float]
    diagnosis: str
    decision: Literal["authorized", "rejected"] | str
    reason: str
    """
    Why it was rejected or could not start; empty otherwise.
    """
    execution_status: (
        Literal["not_started", "dispatching", "queued", "scheduled", "running", "completed", "failed", "cancelled"]
        | str
    )
    """
    After `queued` the status of its execution.
    """
    operation_id: str | None
    """
    Flow run of its execution.
    """
    execution_id: str | None
    state_version_before: int
    state_version_after: int
    created_at: datetime


class AgentActionCreate(Model):
    idempotency_key: str
    expected_state_version: int
    """
    The `state_version` that the proposal was made on.
    """
    action_type: Literal["run_task", "request_human", "complete_session"] | str
    task_name: str | None = None
    qids: list[str] | None = None
    parameter_overrides: dict[str, float] | None = None
    diagnosis: str | None = None
    """
    Why the agent proposes it. It is stored, but never evaluated.
    """


class AgentActionExecution(Model):
    source_execution_id: str | None = None
    """
    The task starts from the inputs that it had there, if it ran there on this target.
    """
    update_params: bool | None = None
    reconfigure: bool | None = None
    """
    Run the task Configure on the qubit first.
    """


class AgentActionList(Model):
    items: list[AgentAction]
    total: int


class AgentBound(Model):
    minimum: float | None = None
    maximum: float | None = None


class Candidate(Model):
    action_id: str
    parameter_name: str
    task_id: str


class AgentCampaignCreate(Model):
    idempotency_key: str
    expected_state_version: int
    """
    The `state_version` that the proposal was made on.
    """
    candidates: list[Candidate]


class AgentCandidate(Model):
    session_id: str
    action_id: str
    execution_id: str
    task_id: str
    task_name: str
    qid: str
    source_parameter_name: str
    """
    Name of the output.
    """
    parameter_name: str
    """
    Name under which it would be committed.
    """
    value: float
    error: float
    unit: str
    value_type: str
    quality_metrics: dict[str, float]
    accepted: bool
    reason: str
    """
    Why it is not accepted; empty otherwise.
    """
    minimum: float | None
    maximum: float | None


class AgentCandidateList(Model):
    items: list[AgentCandidate]
    total: int


class AgentCommitApplication(Model):
    idempotency_key: str
    expected_state_version: int
    """
    The `state_version` that the proposal was made on.
    """
    push_to_remote: bool | None = None
    """
    Push the new version of the files; default: false.
    """
    push_to_github: bool | None = None
    """
    Another name of `push_to_remote`.
    """


class AgentCommitCreate(Model):
    idempotency_key: str
    expected_state_version: int
    """
    The `state_version` that the proposal was made on.
    """
    task_id: str


class AgentGate(Model):
    session_id: str
    parameter_name: str
    value: float
    accepted: bool
    reason: str
    """
    Why the candidate is not accepted; empty if it is.
    """
    minimum: float | None
    maximum: float | None


class AgentGateQuestion(Model):
    parameter_name: str
    value: float


class AllowedOverrides(Model):
    minimum: float | None
    maximum: float | None


class QualityGates(Model):
    minimum: float | None
    maximum: float | None


class AgentPolicy(Model):
    qids: list[str]
    allowed_tasks: list[str]
    allowed_actions: list[(Literal["run_task", "request_human", "complete_session"] | str)]
    allowed_overrides: dict[str, AllowedOverrides]
    quality_gates: dict[str, QualityGates]
    allow_reconfigure: bool
    max_actions: int
    priority: int | None = None
    """
    Absent if none was given.
    """


class AgentSession(Model):
    session_id: str
    project_id: str
    chip_id: str
    created_by: str
    policy: AgentPolicy
    skill_name: str
    skill_version: str
    skill_hash: str
    model_name: str
    status: Literal["active", "waiting_for_human", "completed", "cancelled", "expired"] | str
    state_version: int
    """
    Raised by each action, commit, resume and cancel.
    """
    action_count: int
    """
    Authorized actions, of at most `policy.max_actions`.
    """
    created_at: datetime
    updated_at: datetime
    expires_at: datetime


class AgentSessionList(Model):
    items: list[AgentSession]
    total: int
    skip: int
    limit: int


class AiReview(Model):
    task_id: str
    review_run_id: str
    task_name: str
    chip_id: str
    qid: str
    target: str
    execution_id: str
    task_status: str
    review_status: str
    decision: str
    human_label: str
    accepted_parameters: str
    needs_review: str
    primary_reason: str
    suggested_labels: str
    recommended_action: str
    model: str
    requested_by: str
    requested_at: datetime
    completed_at: datetime | None
    note_updated_at: datetime | None
    start_at: datetime | None
    figure_path: list[str]
    json_figure_path: list[str]
    review_markdown: str
    format_ok: bool
    error: str
    prompt_hash: str
    knowledge_version: str
    cost: float | None
    latency: float | None
    """
    Duration of the review in seconds.
    """
    held_back: bool


class AiReviewNote(Model):
    content: str
    updated_by: str
    updated_at: datetime | None


class Item(Model):
    task_name: str
    model: str
    reviews: int
    """
    Completed reviews of results that people have judged since.
    """
    agreed: int
    missed: int
    """
    Passed by the review, refused by people.
    """
    false_alarms: int
    """
    Refused by the review, kept by people.
    """
    labelled: int
    """
    Of these, reviews of results that an approved knowledge case has labelled since.
    """
    same_label: int
    """
    The label of the case is the one that the review suggested.
    """
    agreement: float | None
    cost: float | None
    mean_latency: float | None
    """
    Mean duration of the reviews in seconds.
    """


class AiReviewQuality(Model):
    items: list[Item]


class AiReviewRun(Model):
    review_run_id: str
    trigger_type: str
    chip_id: str
    task_name: str
    entity_type: str
    execution_ids: list[str]
    requested_by: str
    requested_at: datetime
    completed_at: datetime | None
    model: str
    total: int
    completed_count: int
    failed_count: int
    running_count: int
    requested_count: int
    decision_counts: dict[str, int]
    status_counts: dict[str, int]


class AiReviewState(Model):
    status: str
    requested_at: datetime | None = None
    requested_by: str
    review_run_id: str
    trigger_type: str
    model_provider: str
    model_name: str
    completed_at: datetime | None = None
    error: str
    decision: str
    held_back: bool
    """
    The value should not be used before a person has looked at it.
    """


class ConversationHistoryItem(Model):
    role: Literal["user", "assistant"] | str
    content: str


class AnalysisResultEvent(Model):
    summary: str
    assessment: Literal["good", "warning", "bad"] | str
    explanation: str
    potential_issues: list[str]
    recommendations: list[str]
    type: Literal["result"]


class AnnouncedTask(Model):
    name: str
    description: str
    run_parameters: dict[str, float | str | bool | list[float | str] | None]
    """
    The worker's own defaults of run parameters.
    """
    declared: bool
    """
    Whether it is a task of the lab, which the worker declares.
    """
    problem: str | None
    """
    Why runs cannot use it: its declaration is refused, or it is neither in the catalog nor declared.
    """


class AnswerStatusEvent(Model):
    type: Literal["status"]
    step: (
        Literal[
            "init",
            "load_forum",
            "load_issue",
            "build_history",
            "load_context",
            "run_chat",
            "tool_call",
            "thinking",
            "save_reply",
            "complete",
        ]
        | str
    )
    stage: (
        Literal[
            "init",
            "load_forum",
            "load_issue",
            "build_history",
            "load_context",
            "run_chat",
            "tool_call",
            "thinking",
            "save_reply",
            "complete",
        ]
        | str
    )
    """
    Repeats `step`.
    """
    message: str
    tool: str | None = None
    """
    The look-up that begins.
    """
    completed_tools: list[str] | None = None
    """
    The look-ups that have ended.
    """


class AnswerTextEvent(Model):
    type: Literal["text"]
    delta: str
    """
    The next piece of the text.
    """


class Approval(Model):
    approval_id: str
    execution_id: str
    question: str
    options: list[str]
    default: str
    deadline: datetime
    status: Literal["pending", "answered", "expired", "withdrawn"] | str
    answer: str | None
    answered_by: str | None
    answered_at: datetime | None


class ApprovalList(Model):
    approvals: list[Approval]
    total: int
    skip: int
    limit: int


class ApprovalReply(Model):
    answer: str


class ArtifactPreview(Model):
    filename: str
    target: str | None
    """
    What was measured, as far as the file says.
    """
    source_type: str | None
    """
    Kind of data, as far as the file says.
    """
    shape: list[int]
    """
    Lengths of the dimensions of the data.
    """
    dtype: str
    """
    Type of the stored values, such as `float64`; `complex` for complex data.
    """
    columns: list[str]
    """
    One for each dimension, then `value` or `real`, `imag`, `abs`.
    """
    rows: list[dict[str, float | str | bool | None]]
    """
    The first 50 values, the last dimension running fastest.
    """
    total_rows: int
    truncated: bool


class AuditEntry(Model):
    entry_id: str
    at: datetime
    action: (
        Literal[
            "signed_in",
            "sign_in_refused",
            "signed_out",
            "password_changed",
            "profile_changed",
            "password_reset",
            "second_factor_requested",
            "second_factor_added",
            "second_factor_removed",
            "second_factor_reset",
            "passkey_requested",
            "passkey_added",
            "passkey_removed",
            "passkey_sign_in_requested",
            "program_token_created",
            "program_token_rotated",
            "program_token_revoked",
            "service_account_created",
            "service_account_changed",
            "service_account_deleted",
            "user_created",
            "users_imported",
            "user_changed",
            "user_deleted",
            "project_created",
            "project_changed",
            "retention_changed",
            "project_transferred",
            "project_deleted",
            "member_added",
            "member_changed",
            "member_removed",
            "chip_created",
            "chip_changed",
            "chip_deleted",
            "cryostat_created",
            "cryostat_changed",
            "cryostat_deleted",
            "cooldown_created",
            "cooldown_changed",
            "cooldown_deleted",
            "cooldown_reopened",
            "chip_assigned",
            "chip_unassigned",
            "wiring_kept",
            "note_written",
            "note_deleted",
            "category_created",
            "category_changed",
            "category_archived",
            "post_created",
            "post_changed",
            "post_deleted",
            "thread_closed",
            "thread_reopened",
            "image_uploaded",
            "ai_reply_asked",
            "flow_saved",
            "flow_restored",
            "flow_deleted",
            "menu_saved",
            "menu_deleted",
            "schedule_created",
            "schedule_changed",
            "schedule_deleted",
            "run_started",
            "run_paused",
            "run_resumed",
            "run_stopped",
            "run_cancelled",
            "approval_answered",
            "result_excluded",
            "reviews_requested",
            "reviews_cancelled",
            "issue_written",
            "issue_deleted",
            "issue_closed",
            "issue_reopened",
            "knowledge_extracted",
            "knowledge_changed",
            "knowledge_approved",
            "knowledge_rejected",
            "knowledge_deleted",
            "knowledge_exported",
            "values_changed",
            "agent_session_created",
            "agent_session_resumed",
            "agent_session_cancelled",
            "agent_action_proposed",
            "agent_commit_applied",
            "configuration_written",
            "configuration_removed",
            "configuration_pulled",
            "configuration_pushed",
            "configuration_reloaded",
            "files_exported",
            "system_update_cancelled",
            "system_update_started",
        ]
        | str
    )
    """
    What was done. Later versions may add names.
    """
    user_id: str | None
    """
    Who did it; null if unknown.
    """
    username: str | None
    project_id: str | None
    """
    Project in which it was done; null if it belongs to no project.
    """
    target: str | None
    """
    What it was done to: a username, a chip, a flow, an execution, a path.
    """
    details: dict[str, str | float | bool | None]
    address: str
    """
    Where the request came from.
    """
    request_id: str


class AuditList(Model):
    entries: list[AuditEntry]
    """
    Newest first.
    """
    has_more: bool
    """
    Whether there are older ones.
    """


class Backends(Model):
    description: str
    tasks: list[str]


class BackendConfig(Model):
    default_backend: str
    backends: dict[str, Backends]
    categories: dict[str, list[str]]


class BeginPasskeySignInBody(Model):
    username: str
    password: str


class CalibrationNote(Model):
    username: str
    chip_id: str
    execution_id: str
    task_id: str
    note: dict[str, dict[str, dict[str, float | str | bool | list[float | str] | None]]]
    timestamp: datetime


class CancelResult(Model):
    execution_id: str
    status: Literal["cancelling"]
    message: str


class CancelledAiReviews(Model):
    review_run_id: str
    status: Literal["cancelling"]


class CdfGroup(Model):
    id: str
    title: str
    unit: str
    metrics: list[str]


class ChatMessage(Model):
    role: str
    content: str
    attached_image: str | None
    created_at: datetime


class ChatMessageCreate(Model):
    role: str
    content: str
    attached_image: str | None = None
    created_at: datetime | None = None
    """
    Default: now.
    """


class Block(Model):
    type: Literal["text"]
    content: str


class ChatSession(Model):
    session_id: str
    title: str
    context: dict[str, Any] | None
    messages: list[ChatMessage]
    created_at: datetime
    updated_at: datetime


class ChatSessionChange(Model):
    title: str | None = None
    context: dict[str, Any] | None = None
    messages: list[ChatMessageCreate] | None = None
    """
    Replaces all messages of the session.
    """


class ChatSessionCreate(Model):
    session_id: str
    """
    Chosen by the client: 1 to 128 of letters, digits, `.`, `_`, `:`, `-`.
    """
    title: str | None = None
    """
    Default: New Chat.
    """
    context: dict[str, Any] | None = None
    messages: list[ChatMessageCreate] | None = None


class ChatSessionItem(Model):
    session_id: str
    title: str
    context: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime
    message_count: int


class ChatSessionList(Model):
    sessions: list[ChatSessionItem]


class CheckedValue(Model):
    value: float
    """
    Expected value.
    """
    tolerance: float
    """
    Allowed deviation from the expected value, in the same unit.
    """
    found: float | None
    error: float | None
    unit: str


class CheckpointCreate(Model):
    comment: str


class ChipChange(Model):
    topology_id: str | None = None
    activity_status: (Literal["active", "inactive"] | str) | None = None
    note: str | None = None


class ChipCreate(Model):
    chip_id: str
    size: int | None = None
    topology_id: str | None = None


class ChipDates(Model):
    data: list[str]


class ChipTimeShare(Model):
    part: Literal["lock", "instrument", "analysis", "engine", "people", "resources", "idle", "unused"] | str
    """
    lock: until the run was taken on and the chip was free; instrument: measuring; analysis: evaluating while nothing is measured; engine: anything else within a stage; people: paused, or waiting for an answer; resources: waiting for a worker, a release or disk space; idle: the rest. unused: no run was open.
    """
    seconds: float
    share: float


class ComparedParameter(Model):
    parameter_name: str
    qid: str
    value_before: float | str | None
    value_after: float | str | None
    error_before: float | None
    """
    Standard error; null if unknown.
    """
    error_after: float | None
    """
    Standard error; null if unknown.
    """
    unit: str
    delta: float | None
    delta_percent: float | None


class ConfigurationEntry(Model):
    name: str
    path: str
    """
    Path within the configuration, as the other addresses take it.
    """
    type: Literal["directory", "file"] | str
    children: list[ConfigurationEntry] | None


class ConfigurationFile(Model):
    content: str
    path: str
    name: str
    size: int
    """
    Size in bytes.
    """
    modified: datetime


class ConfigurationReloadAnswer(Model):
    cleared: list[str]
    """
    Files that every process rereads.
    """


class Response(Model):
    clientDataJSON: str
    attestationObject: str
    transports: list[(Literal["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] | str)] | None = None


class Credential(Model):
    id: str
    rawId: str
    type: Literal["public-key"]
    clientExtensionResults: dict[str, Any]
    response: Response


class ConfirmPasskeyBody(Model):
    name: str
    """
    Name by which you recognise this passkey.
    """
    credential: Credential


class CooldownChange(Model):
    description: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    wiring_info: str | None = None
    wiring_blocks: list[dict[str, Any]] | None = None
    note: str | None = None


class CooldownCreate(Model):
    cooldown_id: str
    cryo_id: str
    description: str | None = None
    started_at: datetime
    ended_at: datetime | None = None
    chip_ids: list[str] | None = None


class CopilotAnalysis(Model):
    summary: str
    assessment: Literal["good", "warning", "bad"] | str
    explanation: str
    potential_issues: list[str]
    recommendations: list[str]


class Suggestion(Model):
    label: str
    prompt: str


class Scoring(Model):
    good: float


class CryostatChange(Model):
    name: str | None = None
    manufacturer: str | None = None
    model: str | None = None
    location: str | None = None
    status: (Literal["active", "maintenance", "decommissioned"] | str) | None = None
    commissioned_at: datetime | None = None
    decommissioned_at: datetime | None = None
    note: str | None = None


class CryostatCreate(Model):
    cryo_id: str
    name: str | None = None
    manufacturer: str | None = None
    model: str | None = None
    location: str | None = None
    status: (Literal["active", "maintenance", "decommissioned"] | str) | None = None
    commissioned_at: datetime | None = None


class CurrentMeasurement(Model):
    project_id: str | None
    """
    Null for a project of which you are not a member.
    """
    execution_id: str | None
    what: str | None
    """
    Task, targets and number of the attempt.
    """
    progress: float | None
    """
    Completed fraction, if the worker reports it.
    """
    since: datetime


class DefinitionParameter(Model):
    unit: str
    value_type: str
    value: list[str]
    description: str


class DegradationTrend(Model):
    parameter_name: str
    chip_id: str
    qid: str
    evaluation_mode: Literal["maximize", "minimize"] | str
    streak_count: int
    """
    Steps in a row that were strictly worse.
    """
    total_delta: float
    total_delta_percent: float | None
    delta_per_step: float
    current_value: float
    current_entity_id: str
    unit: str
    values: list[float]
    """
    Oldest first.
    """
    valid_from: datetime


class DegradationTrends(Model):
    trends: list[DegradationTrend]
    total_count: int


class DeletionImpact(Model):
    chip_id: str
    qubits: int
    couplings: int
    task_results: int
    qubit_history_snapshots: int
    coupling_history_snapshots: int
    cooldowns_referencing: int
    can_delete_safely: bool


class Worker(Model):
    identity: str
    seen_at: datetime | None


class DeploymentVersion(Model):
    build_id: str | None
    """
    Digest of the workflow code; null for workers without a version.
    """
    state: Literal["current", "ramping", "draining", "drained", "not_used", "without_version", "unknown"] | str
    """
    current: starts runs; draining: still has open workflows; drained: has none, so its workers may be stopped.
    """
    created_at: datetime | None
    current_since: datetime | None
    workers: list[Worker]
    """
    Those that polled within the last 75 seconds.
    """
    open_runs: int
    """
    Runs that it carries out, or of which it carries out the open stage.
    """


class DeploymentVersionList(Model):
    deployment: str | None
    """
    Null if workers have no versions.
    """
    current: str | None
    """
    Null if workers without a version start runs.
    """
    items: list[DeploymentVersion]
    total: int
    skip: int
    limit: int


class DeviceCondition(Model):
    min: float
    max: float
    is_within_24h: bool | None = None
    metric: str | None = None


class GateDuration(Model):
    rzx90: float


class DeviceCoupling(Model):
    control: int
    target: int
    fidelity: float
    gate_duration: GateDuration


class Position(Model):
    x: float
    y: float


class MeasError(Model):
    prob_meas1_prep0: float
    prob_meas0_prep1: float
    readout_assignment_error: float


class QubitLifetime(Model):
    t1: float
    t2: float


class GateDuration1(Model):
    rz: float
    sx: float
    x: float


class DeviceQubit(Model):
    id: int
    physical_id: int
    position: Position
    fidelity: float
    meas_error: MeasError
    qubit_lifetime: QubitLifetime
    gate_duration: GateDuration1


class Condition(Model):
    coupling_fidelity: DeviceCondition | None = None
    qubit_fidelity: DeviceCondition | None = None
    readout_fidelity: DeviceCondition | None = None
    cr_direction: (Literal["forward", "inverse", "mix"] | str) | None = None
    only_maximum_connected: bool | None = None


class DeviceRequest(Model):
    name: str | None = None
    device_id: str | None = None
    qubits: list[str] | None = None
    exclude_couplings: list[str] | None = None
    condition: Condition | None = None


class DownloadFiguresBody(Model):
    paths: list[str] | None = None
    """
    Absolute paths of files of the project, as results name them.
    """
    ai_review_task_ids: list[str] | None = None
    """
    Results whose reviews come as `ai_review/<task>_<qid>_<task_id>.md`; those without one are left out.
    """
    ai_review_bundle_task_ids: list[str] | None = None
    """
    Results for which all that a review is made by comes as `ai_review_bundle/<task>_<qid>_<task_id>.zip`.
    """
    filename: str | None = None


class ExcludeResult(Model):
    excluded: bool
    reason: str | None = None


class Exclusion(Model):
    task_id: str
    excluded: bool
    excluded_reason: str
    excluded_by_user_id: str
    excluded_by: str
    excluded_at: datetime | None


class ExecutionEndEvent(Model):
    status: Literal["scheduled", "running", "completed", "failed", "cancelled"] | str
    type: Literal["end"]


class ExecutionForecast(Model):
    execution_id: str
    is_open: bool
    worked_seconds: float
    """
    Without waits for the lock, for people and for resources.
    """
    expected_seconds: float | None
    """
    Of the whole run, without waits; null if nothing is known.
    """
    estimated_end: datetime | None
    """
    If nothing more is waited for; null when paused or ended.
    """
    earlier_runs: list[str]
    """
    The completed runs of the same request that this is based on.
    """
    settled_tasks: int
    expected_tasks: int | None


class ExecutionLogEntry(Model):
    index: int
    kind: Literal["log", "record"] | str
    message: str | None
    name: str | None
    value: Any
    """
    What was recorded under the name, any JSON; null for a message.
    """
    at: datetime


class ExecutionLogEvent(Model):
    index: int
    kind: Literal["log", "record"] | str
    message: str | None
    name: str | None
    value: Any
    """
    What was recorded under the name, any JSON; null for a message.
    """
    at: datetime
    type: Literal["log"]


class ExecutionNote(Model):
    model_config = ConfigDict(
        extra="allow",
    )
    __annotations__ = {
        "__pydantic_extra__": Dict[str, str],
    }
    stages: dict[str, dict[str, float]] | None = None


class ExecutionProgressEvent(Model):
    done: int
    failed: int
    skipped: int
    total: int
    stage: str | None
    estimated_end: datetime | None
    type: Literal["progress"]


class ExecutionRetry(Model):
    code: (Literal["original", "current"] | str) | None = None
    """
    The version of the flow that the execution ran, or the one that is saved now.
    """


class Values(Model):
    value: float | None
    error: float | None


class Metrics(Model):
    unit: str
    values: dict[str, Values]


class ExecutionStateEvent(Model):
    status: Literal["scheduled", "running", "completed", "failed", "cancelled"] | str
    stage: str | None
    resumed_at: datetime | None
    type: Literal["state"]


class ExecutionSummary(Model):
    name: str
    execution_id: str
    status: Literal["scheduled", "running", "completed", "failed", "cancelled"] | str
    message: str | None
    user_id: str
    username: str
    start_at: datetime | None
    end_at: datetime | None
    elapsed_time: str | None
    tags: list[str]
    note: ExecutionNote
    flow_run_state: Literal["PENDING", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED", "CRASHED"] | str


class ExecutionTaskEvent(Model):
    task_id: str
    task_name: str
    qid: str
    status: Literal["scheduled", "running", "completed", "failed", "pending", "skipped", "cancelled"] | str
    message: str
    type: Literal["task"]


class Part(Model):
    part: Literal["lock", "instrument", "analysis", "engine", "people", "resources", "idle"] | str
    """
    lock: until the run was taken on and the chip was free; instrument: measuring; analysis: evaluating while nothing is measured; engine: anything else within a stage; people: paused, or waiting for an answer; resources: waiting for a worker, a release or disk space; idle: the rest.
    """
    seconds: float
    share: float


class ExecutionTime(Model):
    execution_id: str
    from_: datetime = Field(..., alias="from")
    """
    When the run was requested.
    """
    to: datetime
    """
    Its end, or now.
    """
    is_open: bool
    seconds: float
    parts: list[Part]


class ExecutionWaitingEvent(Model):
    for_: str | None = Field(..., alias="for")
    type: Literal["waiting"]


class ExpectedResult(Model):
    description: str
    result_type: str
    x_axis: str
    y_axis: str
    z_axis: str
    fit_model: str
    typical_range: str
    good_visual: str


class Execution1(Model):
    execution_id: str
    name: str
    status: str
    backend: str
    trigger: str
    start_at: datetime
    end_at: datetime | None


class Cooldown1(Model):
    cooldown_id: str
    cryo_id: str
    description: str
    started_at: datetime
    ended_at: datetime | None


class Who(Model):
    user_id: str
    username: str


class FailureMode(Model):
    severity: str
    description: str
    cause: str
    visual: str
    next_action: str


class FileValidation(Model):
    content: str
    file_type: str
    """
    `yaml`, `yml` or `json`, in upper or lower case.
    """


class FileValidationAnswer(Model):
    valid: bool
    message: str
    error: str | None = None
    """
    What is wrong, with line and column; only where it is not valid.
    """


class FileWrite(Model):
    path: str
    """
    Path within the configuration; ends in .yaml, .yml or .json.
    """
    content: str
    """
    YAML or JSON of at most 1 MiB.
    """


class FileWriteAnswer(Model):
    message: str
    path: str


class Flow(Model):
    name: str
    created_by: str
    description: str
    chip_id: str
    flow_function_name: str
    created_at: datetime
    updated_at: datetime
    tags: list[str]
    file_exists: bool


class Problem(Model):
    line: int
    message: str


class FlowDraft(Model):
    code: str
    summary: str
    diff: str
    """
    From the code that was sent to the draft, as a unified diff.
    """
    command: list[str]
    """
    Always empty: no command is run.
    """
    problems: list[Problem]
    """
    Problems for which saving it would be refused; empty if the draft can be saved.
    """


class FlowDraftCompleteEvent(Model):
    code: str
    summary: str
    diff: str
    """
    From the code that was sent to the draft, as a unified diff.
    """
    command: list[str]
    """
    Always empty: no command is run.
    """
    problems: list[Problem]
    """
    Problems for which saving it would be refused; empty if the draft can be saved.
    """
    type: Literal["complete"]


class FlowDraftDiffEvent(Model):
    type: Literal["diff"]
    diff: str


class FlowDraftSummaryEvent(Model):
    type: Literal["summary_delta"]
    delta: str


class FlowList(Model):
    flows: list[Flow]


class FlowTemplate(Model):
    id: str
    name: str
    description: str
    category: str
    filename: str
    function_name: str


class FlowVersion(Model):
    version_id: str
    """
    Identifies the code: the same code has the same id.
    """
    saved_by: str
    """
    Who saved this code last.
    """
    saved_at: datetime
    is_current: bool
    flow_function_name: str
    description: str
    chip_id: str
    tags: list[str]


class FlowVersionList(Model):
    items: list[FlowVersion]
    """
    Most recently saved first.
    """
    total: int
    skip: int
    limit: int


class ForumCategory(Model):
    id: str
    project_id: str
    key: str
    name: str
    description: str
    color: Literal["neutral", "primary", "secondary", "accent", "info", "success", "warning", "error", "ghost"] | str
    icon: str
    sort_order: int
    is_archived: bool


class ForumCategoryChange(Model):
    name: str | None = None
    description: str | None = None
    color: (
        Literal["neutral", "primary", "secondary", "accent", "info", "success", "warning", "error", "ghost"] | str
    ) | None = None
    icon: str | None = None
    sort_order: int | None = None
    is_archived: bool | None = None


class ForumCategoryCreate(Model):
    key: str | None = None
    name: str
    description: str | None = None
    color: (
        Literal["neutral", "primary", "secondary", "accent", "info", "success", "warning", "error", "ghost"] | str
    ) | None = None
    icon: str | None = None
    sort_order: int | None = None


class ForumCategoryList(Model):
    categories: list[ForumCategory]


class ForumModelQuestion(Model):
    user_message: str


class ForumPost(Model):
    id: str
    project_id: str
    number: int
    """
    The thread's number in its project.
    """
    category: str
    user_id: str | None
    """
    Null for what the language model wrote.
    """
    username: str
    avatar_key: str | None
    title: str | None
    """
    Null for replies.
    """
    content: str
    """
    Markdown.
    """
    content_blocks: list[dict[str, Any]]
    """
    The same text in the format of the client's editor.
    """
    parent_id: str | None
    labels: list[(Literal["review", "anomaly"] | str)]
    assignee_username: str | None
    status: Literal["open", "investigating", "identified", "resolved"] | str
    chip_id: str | None
    target_type: (Literal["qubit", "coupling"] | str) | None
    target_id: str | None
    cooldown_id: str | None
    reply_count: int
    is_deleted: bool
    is_ai_reply: bool
    created_at: datetime
    updated_at: datetime


class ForumPostChange(Model):
    category: str | None = None
    title: str | None = None
    content: str | None = None
    content_blocks: list[dict[str, Any]] | None = None
    labels: list[(Literal["review", "anomaly"] | str)] | None = None
    assignee_username: str | None = None
    status: (Literal["open", "investigating", "identified", "resolved"] | str) | None = None
    chip_id: str | None = None
    target_type: (Literal["qubit", "coupling"] | str) | None = None
    target_id: str | None = None
    cooldown_id: str | None = None


class ForumPostCreate(Model):
    category: str
    title: str | None = None
    content: str
    content_blocks: list[dict[str, Any]] | None = None
    parent_id: str | None = None
    labels: list[(Literal["review", "anomaly"] | str)] | None = None
    assignee_username: str | None = None
    status: (Literal["open", "investigating", "identified", "resolved"] | str) | None = None
    chip_id: str | None = None
    target_type: (Literal["qubit", "coupling"] | str) | None = None
    target_id: str | None = None
    cooldown_id: str | None = None


class ForumReplyResultEvent(Model):
    id: str
    project_id: str
    number: int
    """
    The thread's number in its project.
    """
    category: str
    user_id: str | None
    """
    Null for what the language model wrote.
    """
    username: str
    avatar_key: str | None
    title: str | None
    """
    Null for replies.
    """
    content: str
    """
    Markdown.
    """
    content_blocks: list[dict[str, Any]]
    """
    The same text in the format of the client's editor.
    """
    parent_id: str | None
    labels: list[(Literal["review", "anomaly"] | str)]
    assignee_username: str | None
    status: Literal["open", "investigating", "identified", "resolved"] | str
    chip_id: str | None
    target_type: (Literal["qubit", "coupling"] | str) | None
    target_id: str | None
    cooldown_id: str | None
    reply_count: int
    is_deleted: bool
    is_ai_reply: bool
    created_at: datetime
    updated_at: datetime
    type: Literal["result"]


class ForumThreadList(Model):
    posts: list[ForumPost]
    total: int
    skip: int
    limit: int


class GateResult(Model):
    rule: Literal["finite", "fidelity", "r2", "bounds"] | str
    passed: bool
    detail: str


class GetAiReviewRunAnswer(Model):
    run: AiReviewRun
    items: list[AiReview]


class GivenAgentPolicy(Model):
    qids: list[str]
    """
    Targets that it may measure.
    """
    allowed_tasks: list[str]
    allowed_actions: list[(Literal["run_task", "request_human", "complete_session"] | str)] | None = None
    """
    Actions that may be authorized; completing the session is always allowed.
    """
    allowed_overrides: dict[str, AgentBound] | None = None
    """
    Parameters that it may set for a measurement and commit, with inclusive bounds.
    """
    quality_gates: dict[str, AgentBound] | None = None
    """
    Quality metrics that a result must have, with inclusive bounds, for its values to be committed.
    """
    allow_reconfigure: bool | None = None
    """
    Whether Configure may run before a task.
    """
    max_actions: int | None = None
    """
    Actions that may be authorized.
    """
    priority: int | None = None
    """
    While a run of lower priority that allows preemption holds the project, a run of this priority uses the chip between its measurements, and is not refused (409 project_busy). Default 0.
    """


class HealthzAnswer(Model):
    status: Literal["ok"]


class ImportedRow(Model):
    row_number: int
    """
    Row of the file; its header is row 1.
    """
    username: str
    display_name: str | None
    organization: str | None
    system_role: Literal["admin", "user"] | str
    initial_password: str | None
    """
    The generated password, shown only here.
    """
    status: Literal["created", "skipped", "failed"] | str
    message: str | None


class DetailItem(Model):
    type: str
    loc: list[str | float]
    msg: str


class InvalidRequest(Model):
    detail: list[DetailItem]
    code: Literal["invalid_input"]


class Issue(Model):
    id: str
    task_id: str
    user_id: str | None
    """
    Null for what a language model wrote.
    """
    username: str
    avatar_key: str | None
    title: str | None
    """
    Null in replies.
    """
    content: str
    created_at: datetime
    updated_at: datetime
    parent_id: str | None
    """
    The issue that is replied to; null for an issue.
    """
    reply_count: int
    is_closed: bool
    is_ai_reply: bool


class IssueChange(Model):
    title: str | None = None
    content: str


class IssueCreate(Model):
    title: str | None = None
    content: str
    parent_id: str | None = None


class IssueKnowledge(Model):
    id: str
    issue_id: str
    task_id: str
    task_name: str
    status: Literal["draft", "approved", "rejected"] | str
    date: str
    """
    Day of the extraction in UTC, YYYY-MM-DD.
    """
    chip_id: str
    qid: str
    resolution_status: str
    title: str
    severity: Literal["critical", "warning", "info"] | str
    human_label: str
    failure_mode_labels: list[str]
    case_type: list[str]
    model_error_type: str
    resolution_label: str
    symptom: str
    model_prediction: str
    human_review_decision: str
    root_cause: str
    resolution: str
    boundary_criteria: str
    lesson_learned: list[str]
    applicability: str
    counterexample: str
    prompt_guidance: str
    figure_paths: list[str]
    thread_image_urls: list[str]
    reviewed_by_user_id: str | None
    reviewed_by: str | None
    pr_url: str | None
    """
    Address of the page that shows the exported case; null if it has none.
    """
    created_at: datetime
    updated_at: datetime


class IssueList(Model):
    issues: list[Issue]
    total: int
    skip: int
    limit: int


class IssueModelQuestion(Model):
    user_message: str


class IssueReplyResultEvent(Model):
    id: str
    task_id: str
    user_id: str | None
    """
    Null for what a language model wrote.
    """
    username: str
    avatar_key: str | None
    title: str | None
    """
    Null in replies.
    """
    content: str
    created_at: datetime
    updated_at: datetime
    parent_id: str | None
    """
    The issue that is replied to; null for an issue.
    """
    reply_count: int
    is_closed: bool
    is_ai_reply: bool
    type: Literal["result"]


class IssuedProgramToken(Model):
    token_id: str
    name: str
    prefix: str
    """
    The first characters of the token, to recognise it.
    """
    scopes: list[(Literal["read", "run", "operate", "administer"] | str)]
    """
    What it permits; each scope includes those before it.
    """
    project_id: str | None
    """
    The only project in which the token is valid; null for all of them.
    """
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    """
    Time of the last use, rounded to the minute.
    """
    token: str
    """
    The token itself, shown only here.
    """


class KnowledgeCaseChange(Model):
    title: str | None = None
    severity: (Literal["critical", "warning", "info"] | str) | None = None
    human_label: str | None = None
    failure_mode_labels: list[str] | None = None
    case_type: list[str] | None = None
    model_error_type: str | None = None
    resolution_label: str | None = None
    symptom: str | None = None
    model_prediction: str | None = None
    human_review_decision: str | None = None
    root_cause: str | None = None
    resolution: str | None = None
    boundary_criteria: str | None = None
    lesson_learned: list[str] | None = None
    applicability: str | None = None
    counterexample: str | None = None
    prompt_guidance: str | None = None


class KnowledgeCaseList(Model):
    items: list[IssueKnowledge]
    total: int
    skip: int
    limit: int


class KnowledgeImage(Model):
    alt_text: str
    relative_path: str
    section: str
    """
    Heading under which it is listed; `review` or `case` for the other pages.
    """
    base64_data: str
    """
    Empty when there is no such picture.
    """


class LanguageModel(Model):
    provider: str
    name: str
    temperature: float | None
    max_output_tokens: int


class LineageEdge(Model):
    relation_type: Literal["wasGeneratedBy", "wasDerivedFrom", "used"] | str
    source_id: str
    target_id: str


class ListAiReviewRunsAnswer(Model):
    items: list[AiReviewRun]
    total: int
    skip: int
    limit: int


class ListAiReviewsAnswer(Model):
    items: list[AiReview]
    total: int
    skip: int
    limit: int
    decision_counts: dict[str, int]
    status_counts: dict[str, int]


class Value(Model):
    parameter_name: str
    value: float
    error: float
    unit: str
    task_id: str
    replaced: float | str | bool | list[float | str] | None
    """
    The value before; null if there was none.
    """


class ListedAgentCommit(Model):
    commit_id: str
    kind: Literal["candidate", "campaign"] | str
    qid: str
    status: Literal["committing", "committed", "failed"] | str
    reason: str
    """
    Why it failed; empty otherwise.
    """
    committed_by: str
    created_at: datetime
    committed_at: datetime | None
    values: list[Value]
    backend_status: Literal["not_started", "dispatching", "queued", "applying", "applied", "failed"] | str
    """
    How far it has been applied to the backend's files.
    """


class LockStatus(Model):
    lock: bool
    execution_id: str | None
    chip_id: str | None
    name: str | None
    status: (Literal["scheduled", "running", "completed", "failed", "cancelled"] | str) | None


class LoginForm(Model):
    username: str
    password: str
    otp: str | None = None
    """
    Code of the second factor, or a recovery code, if the account has one.
    """
    passkey: str | None = None
    """
    In place of otp: the answer of a passkey, as JSON, to the options of POST /auth/passkeys/sign-in.
    """


class Cause(Model):
    """
    The value whose change made this one stale.
    """

    target_kind: Literal["qubit", "coupling"] | str
    qid: str
    parameter_name: str


class MaintainedValue(Model):
    target_kind: Literal["qubit", "coupling"] | str
    qid: str
    parameter_name: str
    state: Literal["fresh", "due", "stale", "broken", "unknown"] | str
    """
    fresh: holds; due: its window has passed; stale: something it depends on changed by more than its error, or it was edited; broken: a task that finds it failed since; unknown: never measured.
    """
    reason: str
    since: datetime | None
    """
    Since when it is in this state; null if it was never known.
    """
    cause: Cause | None
    """
    The value whose change made this one stale.
    """
    value: float | str | None
    error: float | None
    unit: str
    task_name: str | None
    """
    What found the value, or how it was entered.
    """
    task_id: str | None
    refinement: int
    found_at: datetime | None
    due_at: datetime | None
    """
    End of its window; null unless a task found it.
    """
    window_hours: float | None
    """
    Hours for which the value holds, adjusted by its history.
    """
    usual_window_hours: float | None
    """
    Hours for which the value holds, by configuration.
    """


class MaintainedValues(Model):
    chip_id: str
    items: list[MaintainedValue]
    total: int
    skip: int
    limit: int


class MaintenanceCounts(Model):
    fresh: int
    due: int
    stale: int
    broken: int
    unknown: int


class Check(Model):
    """
    The check that led to it; the reason is null if it was in specification.
    """

    outcome: Literal["in_specification", "out_of_specification", "bad_data"] | str
    reason: str | None


class MaintenanceDecision(Model):
    sequence: int
    """
    Numbers the decisions of the run from 0.
    """
    made_at: datetime
    maintenance: int
    """
    Which `session.maintain` of the run, from 0.
    """
    phase: Literal["start", "run", "end"] | str
    """
    start: what is known without a measurement; run: decided during the maintenance; end: the final result.
    """
    task_name: str
    targets: list[str]
    """
    Qubits or couplings for which the same was decided.
    """
    parameter_names: list[str]
    """
    The values that did not hold when the maintenance began; all of the task if they did.
    """
    state_before: Literal["fresh", "due", "stale", "broken", "unknown"] | str
    """
    State of these values when the maintenance began.
    """
    decision: Literal["holds", "check", "diagnose", "calibrate", "not_repaired", "postponed"] | str
    """
    holds: nothing to do; check; diagnose: check what it depends on first; calibrate; not_repaired: tried again later; postponed: the time is used up.
    """
    reason: str
    check: Check | None
    """
    The check that led to it; the reason is null if it was in specification.
    """


class MaintenanceDecisionList(Model):
    items: list[MaintenanceDecision]
    total: int
    skip: int
    limit: int


class Node(Model):
    node_id: str
    """
    `{target_kind}/{parameter_name}#{refinement}`
    """
    target_kind: Literal["qubit", "coupling"] | str
    parameter_name: str
    refinement: int
    """
    0: as it was entered; n: found by the n-th task that refines it.
    """
    task_name: str | None
    """
    The task that finds it; null for refinement 0.
    """
    unit: str
    targets: int
    """
    Number of targets of this chip that have such a value.
    """


class Edge(Model):
    from_: str = Field(..., alias="from")
    to: str
    role: Literal["own", "control", "target", "coupling"] | str
    """
    Whose value is read: of the target itself, or of a qubit of the coupling or the coupling itself.
    """


class Read(Model):
    node_id: str
    role: Literal["own", "control", "target", "coupling"] | str
    """
    Whose value is read: of the target itself, or of a qubit of the coupling or the coupling itself.
    """


class Task1(Model):
    task_name: str
    task_type: Literal["global", "qubit", "coupling", "system"] | str
    category: str
    depth: int
    """
    Longest chain of tasks that must come before.
    """
    reads: list[Read]
    writes: list[str]
    """
    Node ids; empty for a task that only checks what it reads.
    """
    depends_on: list[str]
    """
    Names of the tasks whose values it reads.
    """


class MaintenanceGraph(Model):
    chip_id: str
    nodes: list[Node]
    edges: list[Edge]
    tasks: list[Task1]


class Parameter(Model):
    target_kind: Literal["qubit", "coupling"] | str
    parameter_name: str
    states: MaintenanceCounts


class MaintenanceSummary(Model):
    chip_id: str
    states: MaintenanceCounts
    parameters: list[Parameter]


class Member(Model):
    user_id: str
    username: str
    display_name: str | None
    organization: str | None
    avatar_key: str | None
    project_id: str
    role: Literal["owner", "editor", "viewer"] | str
    status: Literal["pending", "active", "revoked"] | str
    invited_by_user_id: str | None
    invited_by: str | None
    """
    Username.
    """
    last_accessed_at: datetime | None


class Message(Model):
    message: str


class Evaluation(Model):
    mode: Literal["maximize", "minimize", "none"] | str


class MetricHeatmap(Model):
    chip_id: str
    metric: str
    values: dict[str, float | None]
    unit: str | None
    errors: dict[str, float | None]
    """
    Standard errors; null if unknown.
    """
    calibrated_at: dict[str, datetime | None]
    """
    When each value was measured or entered.
    """


class Insight(Model):
    kind: Literal["missing_f01", "repeated_failure"] | str
    severity: Literal["critical", "warning"] | str
    title: str
    detail: str
    task_name: str
    qids: list[str]
    task_ids: list[str]


class MetricInsights(Model):
    chip_id: str
    summary: str
    """
    The insights in one sentence.
    """
    insights: list[Insight]
    suppressed_pass_count: int
    """
    Results that are good and therefore not listed.
    """


class MetricRange(Model):
    min: float
    max: float
    step: float


class MetricValue(Model):
    value: float | None
    task_id: str | None
    execution_id: str
    stddev: float | None


class ColorScale(Model):
    colors: list[str]


class CdfGroups(Model):
    qubit: list[CdfGroup]
    coupling: list[CdfGroup]


class MetricsSummary(Model):
    chip_id: str
    qubit_count: int
    averages: dict[str, float | None]


class ModelOverride(Model):
    provider: str | None = None
    name: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: float | None = None
    reasoning_effort: str | None = None
    keep_alive: str | float | None = None
    num_ctx: int | None = None
    max_output_tokens: int | None = None
    base_url: str | None = None
    """
    Accepted only if the operator allows this address.
    """
    api_key_env: str | None = None
    """
    Name of an environment variable; accepted only if the operator allows it for the address.
    """
    disable_thinking_instruction: bool | None = None
    api_style: str | None = None


class ModelUsage(Model):
    input_tokens: int
    output_tokens: int
    cost: float | None
    latency: float
    """
    Duration of the answer in seconds.
    """


class Note(Model):
    content: str
    updated_by: str
    updated_at: datetime | None


class NoteComment(Model):
    comment_id: str
    content: str
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime | None


class NoteEvent(Model):
    project_id: str
    chip_id: str
    scope: Literal["chip", "qubit", "qubit_metric", "coupling", "coupling_metric", "task_result"] | str
    target_id: str
    """
    Id of the chip, qubit, coupling or task result.
    """
    metric_key: str
    action: Literal["upsert", "delete"] | str
    actor_user_id: str
    actor: str
    content: str
    extra: dict[str, str]
    created_at: datetime


class NoteEventList(Model):
    events: list[NoteEvent]
    total: int


class NoteText(Model):
    content: str


class Notification(Model):
    id: str
    project_id: str
    recipient_user_id: str
    recipient_username: str
    actor_user_id: str
    actor_username: str
    kind: Literal["mention", "issue_reply", "note_mention", "forum_mention", "forum_reply"] | str
    source_type: Literal["issue", "note_event", "forum_post"] | str
    source_id: str
    """
    Id of the post, issue or note event that it is about.
    """
    target_url: str
    """
    Address of the thread or page within the client.
    """
    title: str
    excerpt: str
    read_at: datetime | None
    created_at: datetime


class NotificationList(Model):
    notifications: list[Notification]
    total: int
    """
    Number of notifications that match the query.
    """
    unread_count: int
    skip: int
    limit: int


class NotificationsRead(Model):
    updated: int


class OidcBackchannelLogoutBody(Model):
    logout_token: str


class OidcLogoutAnswer(Model):
    message: str
    logout_url: str | None
    """
    Where a browser ends the session with the provider as well; null if it offers none.
    """


class OwnTaskReanalysis(Model):
    parameters: dict[str, Any] | None = None
    """
    Run parameters that replace those of the measurement, by name.
    """


class OwnershipTransfer(Model):
    username: str
    role: (Literal["owner", "editor", "viewer"] | str) | None = None


class ParameterChange(Model):
    entity_id: str
    parameter_name: str
    chip_id: str
    qid: str
    value: float | str
    previous_value: float | str | None
    delta: float | None
    delta_percent: float | None
    unit: str
    error: float
    previous_error: float | None
    version: int
    valid_from: datetime
    task_name: str
    execution_id: str


class ParameterChanges(Model):
    changes: list[ParameterChange]
    total_count: int


class ParameterEdit(Model):
    parameter_name: str
    previous_value: float | str | bool | list[float | str] | None
    value: float
    unit: str
    error: float | None


class Parameters(Model):
    value: float
    unit: str | None = None
    error: float | None = None


class ParameterEdits(Model):
    chip_id: str
    qid: str
    """
    A qubit, or a coupling as `<control>-<target>`; `0`, `Q0` and `Q00` are the same qubit.
    """
    parameters: dict[str, float | Parameters]
    reason: str | None = None


class ParameterRecord(Model):
    parameter_name: str
    qid_role: str
    source: str | None = None
    required: bool
    value: float | str | bool | list[float | str] | None
    value_type: str
    error: float | None = None
    unit: str
    description: str
    calibrated_at: datetime | None = None
    execution_id: str
    task_id: str
    previous_database_value: float | str | None = None
    database_updated: bool | None = None


class ParameterVersion(Model):
    entity_id: str
    parameter_name: str
    qid: str
    value: float | str
    value_type: str
    unit: str
    error: float
    """
    0 if unknown.
    """
    version: int
    valid_from: datetime
    valid_until: datetime | None
    execution_id: str
    task_id: str
    task_name: str
    project_id: str
    chip_id: str


class Passkey(Model):
    id: str
    name: str
    created_at: datetime
    last_used_at: datetime | None


class PasswordChange(Model):
    current_password: str
    new_password: str
    """
    8 characters to 72 bytes; an installation may require more characters.
    """


class PasswordReset(Model):
    username: str
    new_password: str | None = None
    """
    Generated when absent.
    """


class PasswordResetAnswer(Model):
    message: str
    initial_password: str | None = None
    """
    The generated password, shown only here.
    """


class PendingEntry(Model):
    name: str
    status: Literal["pending"]
    default_view: bool
    over_threshold: bool


class PreviewDueTimesAnswer(Model):
    timezone: str
    due_times: list[datetime]
    """
    Fewer than `count` if the cron is due less often before the year 2100.
    """


class PreviewRetentionBody(Model):
    max_age_days: int | None = None
    """
    Figures and raw data of runs that ended more days ago are deleted; null: none are deleted for their age.
    """
    max_gib: float | None
    """
    While the files of the project have more GiB, those of its oldest runs are deleted; null: none are deleted for their size.
    """


class ProfileChange(Model):
    display_name: str | None = None
    avatar_key: str | None = None


class ProgramToken(Model):
    token_id: str
    name: str
    prefix: str
    """
    The first characters of the token, to recognise it.
    """
    scopes: list[(Literal["read", "run", "operate", "administer"] | str)]
    """
    What it permits; each scope includes those before it.
    """
    project_id: str | None
    """
    The only project in which the token is valid; null for all of them.
    """
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    """
    Time of the last use, rounded to the minute.
    """


class ProgramTokenCreate(Model):
    name: str
    scopes: list[(Literal["read", "run", "operate", "administer"] | str)]
    project_id: str | None = None
    """
    The only project in which the token is valid; default: all of them.
    """
    expires_at: datetime | None = None
    """
    When the token expires; default: in 90 days, or earlier if the installation allows less.
    """
    service_account: str | None = None
    """
    Username of a service account for which the token is created; only the owner of its project may do this.
    """


class Project(Model):
    project_id: str
    owner_user_id: str
    owner_username: str
    name: str
    description: str | None
    tags: list[str]
    default_role: Literal["owner", "editor", "viewer"] | str
    created_at: datetime
    updated_at: datetime


class ProjectAvailability(Model):
    available: bool
    reason: str | None


class ProjectChange(Model):
    name: str | None = None
    description: str | None = None
    tags: list[str] | None = None
    default_role: (Literal["editor", "viewer"] | str) | None = None
    """
    Role of invites that name none.
    """


class ProjectCreate(Model):
    name: str
    description: str | None = None
    tags: list[str] | None = None


class ProjectList(Model):
    projects: list[Project]
    total: int


class ProjectMemberChange(Model):
    role: Literal["owner", "editor", "viewer"] | str


class ProjectMemberCreate(Model):
    username: str
    role: (Literal["owner", "editor", "viewer"] | str) | None = None


class ProjectMemberList(Model):
    members: list[Member]
    total: int


class ProvenanceActivity(Model):
    activity_id: str
    execution_id: str
    task_id: str
    task_name: str
    task_type: str
    qid: str
    started_at: datetime | None
    ended_at: datetime | None
    status: str
    project_id: str
    chip_id: str


class ProvenanceComparison(Model):
    execution_id_before: str
    execution_id_after: str
    added_parameters: list[ComparedParameter]
    removed_parameters: list[ComparedParameter]
    changed_parameters: list[ComparedParameter]
    unchanged_count: int


class Execution2(Model):
    execution_id: str
    valid_from: datetime
    """
    Start of its newest version.
    """


class ProvenanceExecutions(Model):
    executions: list[Execution2]


class ProvenanceHistory(Model):
    parameter_name: str
    qid: str
    versions: list[ParameterVersion]
    total_versions: int


class RecommendedTask(Model):
    task_name: str
    priority: int
    """
    1 comes first.
    """
    affected_parameters: list[str]
    affected_qids: list[str]
    reason: str


class ProvenanceRecommendations(Model):
    source_entity_id: str
    source_parameter_name: str
    source_qid: str
    recommended_tasks: list[RecommendedTask]
    total_affected_parameters: int
    max_depth_reached: int


class ProvenanceStats(Model):
    total_entities: int
    total_activities: int
    total_relations: int
    relation_counts: dict[str, int]
    recent_entities: list[ParameterVersion]


class Qubit(Model):
    qid: str
    chip_id: str
    status: Literal["pending", "completed", "failed"] | str
    data: dict[str, ParameterRecord]
    note: Note
    metric_notes: dict[str, Note]


class QubitList(Model):
    qubits: list[Qubit]
    total: int
    limit: int
    offset: int


class Parameters1(Model):
    binarize_threshold_sigma_plus: float | None = None
    binarize_threshold_sigma_minus: float | None = None
    top_power: float | None = None
    f01_height_min: float | None = None
    f12_distance_min: float | None = None
    f12_distance_max: float | None = None
    f12_height_min: float | None = None
    retry_with_trim: bool | None = None


class QubitReanalysis(Model):
    source_task_id: str | None = None
    """
    Default: the newest result.
    """
    parameters: Parameters1 | None = None


class Readiness(Model):
    status: Literal["ready", "degraded", "stopping", "unavailable"] | str
    store: bool
    """
    Whether the database responds.
    """
    engine: bool
    """
    Whether the workflow engine responds.
    """
    problem: str | None
    """
    Why nothing is served although both answer: they belong to different installations. While npm start downloads or builds Temporal: how far it is.
    """
    stalled: list[(Literal["file_reads", "logins"] | str)]
    """
    What takes too long in this process; none unless it is degraded.
    """
    shortage: str | None
    """
    Which disk has no space left for new measurements; null unless it is degraded.
    """


class OutputParameter(Model):
    name: str
    value: float
    unit: str


class Reanalysis(Model):
    source_task_id: str
    source_task_name: str
    qid: str
    figure: dict[str, Any]
    """
    A Plotly figure of the data with what was found; empty if the analysis draws none.
    """
    output_parameters: list[OutputParameter]
    """
    Empty when nothing was found; the title of the figure says why.
    """
    committed: bool
    """
    Always false: this is a preview.
    """


class RecoveryCodes(Model):
    recovery_codes: list[str]
    """
    Each can be used once in place of a code. They are shown only now.
    """


class RegisteredUser(Model):
    user_id: str
    username: str
    display_name: str | None
    organization: str | None
    avatar_key: str | None
    disabled: bool
    default_project_id: str | None
    must_change_password: bool
    system_role: Literal["admin", "user"] | str
    access_token: str
    initial_password: str | None
    """
    The generated password, shown only here.
    """


class Registration(Model):
    username: str
    password: str | None = None
    """
    Generated when absent.
    """
    display_name: str | None = None
    organization: str | None = None
    avatar_key: str | None = None
    create_default_project: bool | None = None


class RemovePasskeyBody(Model):
    current_password: str
    id: str


class RepositoryPullAnswer(Model):
    success: Literal[True]
    commit: str
    commit_message: str
    message: str


class RepositoryPush(Model):
    commit_message: str | None = None


class RepositoryPushAnswer(Model):
    success: Literal[True]
    message: str
    commit: str | None
    """
    First 8 characters; null when there was nothing to push.
    """
    commit_message: str | None
    branch: str | None
    pr_url: str | None
    """
    Always null: commits go to the branch itself, and no pull request is made.
    """
    pr_number: int | None
    """
    Always null.
    """


class RepositoryStatus1(Model):
    is_git_repo: Literal[False]
    message: str


class RepositoryStatus2(Model):
    is_git_repo: Literal[True]
    branch: str | None
    """
    Null when no branch is checked out.
    """
    commit: str | None
    """
    First 8 characters; null before the first commit.
    """
    commit_message: str | None
    is_dirty: bool
    changed_files: list[str]
    untracked_files: list[str]
    has_remote_updates: bool


class RepositoryStatus(RootModel[RepositoryStatus1 | RepositoryStatus2]):
    root: RepositoryStatus1 | RepositoryStatus2


class RequestedAiReviews(Model):
    review_run_id: str
    """
    Empty when nothing is reviewed.
    """
    chip_id: str
    task: str
    entity_type: str
    date: str | None
    requested_count: int
    task_ids: list[str]
    skipped_reason: (
        Literal["copilot_disabled", "analysis_disabled", "task_not_configured", "no_results", "under_review"] | str
    ) | None
    held_by: list[str]
    """
    Runs of reviews that contain results of this request; their rows say what they wait for.
    """


class ResetSecondFactorBody(Model):
    username: str


class Parameters2(Model):
    num_resonators: int | None = None
    high_power_min: float | None = None
    high_power_max: float | None = None
    low_power: float | None = None
    bare_shift_strength_limit: float | None = None
    bare_shift_estimator_type: (Literal["config", "high_frequency_strength"] | str) | None = None
    resonator_assignment_order: list[int] | None = None
    """
    Places on the multiplexer by rising resonator frequency.
    """
    resonator_assignment_pattern: (Literal["default", "16q"] | str) | None = None


class ResonatorReanalysis(Model):
    source_task_id: str | None = None
    """
    Default: the newest result.
    """
    parameters: Parameters2 | None = None


class Kept(Model):
    """
    Task results that the rule covers and that are kept, by what refers to them.
    """

    current_value: int
    note: int
    issue: int
    exclusion: int
    knowledge_case: int


class RetentionOutcome(Model):
    runs: int
    results: int
    """
    Task results whose figures and raw data are deleted. The results themselves stay.
    """
    files: int
    bytes: int
    oldest: datetime | None
    """
    Start of the oldest and of the newest of these runs.
    """
    newest: datetime | None
    kept: Kept
    """
    Task results that the rule covers and that are kept, by what refers to them.
    """


class ReviewSettings(Model):
    enabled: bool
    model: LanguageModel
    """
    The one that analyses use unless another is requested.
    """
    models: list[LanguageModel]
    max_expected_images: int
    ai_review_tasks: list[str]
    review_after_runs: bool


class RollbackEffect(Model):
    effect: Literal["stops", "may_stop"] | str
    reason: str


class RotateProgramTokenBody(Model):
    expires_at: datetime | None = None
    """
    When the new token expires; by default it is valid for as long as the old one was.
    """


class RunControlAnswer(Model):
    execution_id: str
    status: Literal["paused", "running", "stopping"] | str


class RunParameterRecord(Model):
    value: float | str | bool | list[float | str] | None
    value_type: str
    unit: str
    description: str


class SavedFlowAnswer(Model):
    name: str
    file_path: str
    message: str


class SavedManualEdit(Model):
    edit_id: str
    chip_id: str
    qid: str
    target_type: Literal["qubit", "coupling"] | str
    changes: list[ParameterEdit]
    reason: str
    edited_by: str
    edited_at: datetime
    undone_by: str | None
    undone_at: datetime | None
    undo_of: str | None
    """
    The edit that this one took back.
    """
    updated_count: int
    """
    Number of parameters that were changed.
    """
    provenance_activity_id: str
    """
    The activity under which provenance recorded the edit.
    """


class ScheduleAnswer(Model):
    schedule_id: str
    flow_name: str
    schedule_type: Literal["cron", "one-time"] | str
    cron: str | None
    next_run: datetime | None
    """
    The next due time, without jitter; null when there is none.
    """
    active: bool
    message: str


class ScheduleChange(Model):
    active: bool
    cron: str | None = None
    scheduled_time: str | None = None
    parameters: dict[str, Any] | None = None
    timezone: str | None = None
    jitter_seconds: int | None = None
    priority: int | None = None
    allow_preemption: bool | None = None
    """
    true: runs of higher priority may use the chip between the measurements of this run, which continues afterwards.
    """


class ScheduleChanged(Model):
    message: str
    schedule_id: str


class ScheduleCreate(Model):
    cron: str | None = None
    scheduled_time: str | None = None
    parameters: dict[str, Any] | None = None
    active: bool | None = None
    timezone: str | None = None
    """
    Default: the service's zone.
    """
    jitter_seconds: int | None = None
    """
    A run starts up to this many seconds after its due time; the delay is chosen at random each time.
    """
    priority: int | None = None
    """
    While a run of lower priority that allows preemption holds the project, a run of this priority uses the chip between its measurements, and is not refused (409 project_busy).
    """
    allow_preemption: bool | None = None
    """
    true: runs of higher priority may use the chip between the measurements of this run, which continues afterwards.
    """


class ScheduleDeleted(Model):
    message: str
    schedule_id: str
    schedule_type: Literal["cron", "one-time"] | str


class ScheduleOutcome(Model):
    due_at: datetime
    at: datetime
    status: Literal["started", "skipped", "missed", "failed"] | str
    execution_id: str | None
    """
    The run that was started.
    """
    held_by: str | None
    """
    The execution that held the project.
    """
    message: str


class SecondFactor(Model):
    enabled: bool
    recovery_codes_left: float


class SecondFactorConfirmation(Model):
    otp: str


class SecondFactorRemoval(Model):
    current_password: str
    otp: str
    """
    A code of the app, or a recovery code.
    """


class SecondFactorRequest(Model):
    current_password: str


class SecondFactorSetup(Model):
    secret: str
    """
    Base32, for an authenticator app into which it is typed.
    """
    uri: str
    """
    otpauth:// address of the same secret, for a QR code.
    """


class Item1(Model):
    parameter_name: str
    qid: str
    unit: str
    seed_value: float
    current_value: float | str | bool | list[float | str] | None
    delta: float | None
    status: Literal["same", "different", "new"] | str


class SeedComparison(Model):
    chip_id: str
    items: list[Item1]


class Qubits(Model):
    yaml_value: float
    qdash_value: float | str | bool | list[float | str] | None
    status: Literal["new", "different", "same"] | str


class Parameters3(Model):
    unit: str
    qubits: dict[str, Qubits]


class SeedComparisonByParameter(Model):
    chip_id: str
    parameters: dict[str, Parameters3]


class SkippedItem(Model):
    parameter_name: str
    qid: str
    reason: str


class Result(Model):
    parameter_name: str
    qid: str
    value: float | None
    unit: str
    status: Literal["imported", "skipped", "error"] | str
    """
    skipped: no such qubit, or no value. error: the value is not allowed.
    """
    message: str


class SeedImport(Model):
    chip_id: str
    execution_id: str | None
    """
    Id of the import in provenance; null if nothing was imported.
    """
    imported_count: int
    skipped: list[SkippedItem]
    source: str
    """
    Where the values come from: as in the request, else `manual` or `files`.
    """
    skipped_count: int
    error_count: int
    results: list[Result]
    """
    One entry per value.
    """


class SeedImportRequest(Model):
    chip_id: str
    parameters: list[str] | None = None
    """
    Import only these parameters.
    """
    qids: list[str] | None = None
    """
    Import only these qubits.
    """
    manual_data: dict[str, dict[str, float | None]] | None = None
    """
    Values by parameter and qubit, instead of files. `0`, `Q0` and `Q00` are the same qubit, which has one value.
    """
    source: str | None = None
    """
    `manual`, or any name for the parameter files. The answer repeats it.
    """


class Parameter1(Model):
    parameter_name: str
    file: str
    unit: str
    description: str
    count: int


class SeedParameters(Model):
    chip_id: str
    parameters: list[Parameter1]


class ServiceAccount(Model):
    user_id: str
    username: str
    """
    Name under which it acts: its own name, and a part that belongs to the project.
    """
    name: str
    display_name: str | None
    project_id: str
    role: (Literal["editor", "viewer"] | str) | None
    """
    null when its membership has been ended.
    """
    disabled: bool
    created_by: str
    """
    Username of the person whose share of the limits it uses.
    """
    created_at: datetime
    tokens: list[ProgramToken]


class ServiceAccountCreate(Model):
    name: str
    """
    1 to 40 of a-z, 0-9, `.`, `_`, `-`; unique within the project.
    """
    display_name: str | None = None
    role: (Literal["editor", "viewer"] | str) | None = None
    scopes: list[(Literal["read", "run", "operate", "administer"] | str)] | None = None
    """
    Scopes of the first token.
    """
    expires_at: datetime | None = None
    """
    When the first token expires.
    """


class SetRetentionBody(Model):
    max_age_days: int | None = None
    """
    Figures and raw data of runs that ended more days ago are deleted; null: none are deleted for their age.
    """
    max_gib: float | None
    """
    While the files of the project have more GiB, those of its oldest runs are deleted; null: none are deleted for their size.
    """


class Settings(Model):
    env: str
    client_url: str
    api_cors_origins: list[str]
    orchestrator_api_url: str
    """
    Address of the Temporal server.
    """
    chat_channel_id: str
    sqldb_data_path: str
    """
    Empty: the Temporal server looks after its own data.
    """
    docdb_data_path: str
    """
    Empty: the document store looks after its own data.
    """
    calib_data_path: str
    docdb_name: str
    docdb_port: int
    docdb_express_port: int
    sqldb_port: int
    orchestrator_port: int
    api_port: int
    ui_port: int
    log_level: str
    timezone: str
    prefect_api_url: str
    """
    As `orchestrator_api_url`.
    """
    slack_channel_id: str
    """
    As `chat_channel_id`.
    """
    postgres_data_path: str
    """
    As `sqldb_data_path`.
    """
    mongo_data_path: str
    """
    As `docdb_data_path`.
    """
    mongo_db_name: str
    """
    As `docdb_name`.
    """
    mongo_port: int
    mongo_express_port: int
    postgres_port: int
    prefect_port: int


class ShownCopilotConfig(Model):
    enabled: bool
    response_language: str
    model: LanguageModel | None
    models: list[LanguageModel]
    initial_message: str
    suggestions: list[Suggestion]
    scoring: dict[str, Scoring]
    analysis: ReviewSettings


class Threshold1(Model):
    value: float
    range: MetricRange


class ShownMetric(Model):
    title: str
    unit: str
    scale: float
    description: str
    evaluation: Evaluation
    threshold: Threshold1 | None


class Provider(Model):
    provider_id: Literal["oidc"]
    name: str
    login_url: str
    """
    Where a browser begins the sign-in.
    """


class SignInProviders(Model):
    password: Literal["everyone", "emergency"] | str
    """
    Who may sign in with a password.
    """
    providers: list[Provider]


class SparseParameterRecord(Model):
    parameter_name: str
    qid_role: str
    source: str | None = None
    required: bool
    value: float | str | bool | list[float | str] | None = None
    value_type: str
    error: float | None = None
    unit: str
    description: str
    calibrated_at: datetime | None = None
    execution_id: str
    task_id: str
    previous_database_value: float | str | None = None
    database_updated: bool | None = None


class SparseRunParameterRecord(Model):
    value: float | str | bool | list[float | str] | None = None
    value_type: str
    unit: str
    description: str


class StageFailure(Model):
    target: str
    task: str
    message: str


class StartedRun(Model):
    execution_id: str
    flow_run_id: str
    flow_run_url: str
    service_ui_url: str
    """
    The execution in the console.
    """
    qdash_ui_url: str
    """
    The same as `service_ui_url`, under the name of earlier clients.
    """
    message: str


class SystemUpdateOperation(Model):
    operation_id: str
    state: Literal["idle", "queued", "running", "rolling_back", "succeeded", "failed", "rolled_back"] | str
    source_version: str
    target_version: str
    stage: (
        Literal[
            "queued",
            "preflight",
            "stopping",
            "fast-forward",
            "deploying",
            "health-check",
            "complete",
            "rollback",
            "rolled-back",
            "failed",
            "rollback-failed",
            "interrupted",
        ]
        | str
    )
    message: str
    progress: int
    started_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    log_tail: list[str]
    """
    The newest lines of what its commands printed.
    """


class SystemUpdateStart(Model):
    expected_current_version: str | None = None
    """
    The update is refused when another version is installed; null checks nothing.
    """


class SystemUpdateStatus(Model):
    enabled: bool
    """
    Whether this installation has an updater.
    """
    current_version: str
    """
    The version of the working tree; if it has none, the first characters of its commit.
    """
    current_commit: str
    latest_version: str | None
    """
    The newer version that an update would install; if there is none, the newest one.
    """
    update_available: bool
    can_update: bool
    dirty: bool
    """
    Whether files of the working tree were changed by hand.
    """
    blocked_reason: str | None
    """
    Why no update can be started.
    """
    operation_id: str | None
    """
    Id of the last update.
    """
    operation_state: Literal["idle", "queued", "running", "rolling_back", "succeeded", "failed", "rolled_back"] | str
    checked_at: datetime


class Tag(Model):
    name: str


class TagList(Model):
    tags: list[Tag]


class Edit(Model):
    parameter_name: str
    value: float
    unit: str
    edited_at: datetime
    execution_id: str
    """
    The edit, as the parameter records name it.
    """


class TargetManualEdits(Model):
    qid: str
    edits: list[Edit]


class TargetNotes(Model):
    target_id: str
    note: Note
    comments: list[NoteComment]
    """
    Oldest first.
    """
    metric_notes: dict[str, Note]


class TaskCheck(Model):
    outcome: (Literal["in_specification", "out_of_specification", "bad_data"] | str) | None
    """
    in_specification: all values are within their tolerances; out_of_specification: one is beyond; bad_data: the data are implausible for the experiment, or inconclusive.
    """
    reason: str
    """
    A message with the numbers that decided.
    """
    values: dict[str, CheckedValue]


class TaskDefinition(Model):
    name: str
    description: str
    backend: str
    task_type: Literal["global", "qubit", "coupling", "system"] | str
    input_parameters: dict[str, DefinitionParameter]
    output_parameters: dict[str, DefinitionParameter]
    checked_outputs: list[str]
    """
    Outputs that the check form of the task compares; empty if it has none.
    """


class TaskDefinitionList(Model):
    tasks: list[TaskDefinition]


class TaskExecution(Model):
    chip_id: str
    qid: str
    """
    Qubit, or coupling as `<control>-<target>`.
    """
    backend_name: str | None = None
    """
    Backend of the run; null takes the default one.
    """
    source_task_id: str | None = None
    """
    Task result that this one follows from. A link only: none of its values are taken.
    """
    input_parameter_overrides: dict[str, Any] | None = None
    """
    Inputs by name, in place of calibration state.
    """
    run_parameter_overrides: dict[str, Any] | None = None
    """
    Run parameters by name, in place of the catalog's defaults.
    """
    reconfigure: bool | None = None
    """
    Run the task Configure on the qubit first.
    """
    persist_output_parameters: bool | None = None
    """
    true: outputs become calibration state. false: they are kept in the task result only.
    """
    check: bool | None = None
    """
    true: only measures whether the stored values are still within their tolerances, with few points or shots. No value is written, neither to calibration state nor as an output. Only for tasks with a check form.
    """
    update_params: bool | None = None
    """
    Accepted for clients that know parameter files; values reach calibration state without it.
    """
    require_worker: bool | None = None
    """
    true: the run is refused (409 no_worker) if no worker serves its backend, and does not wait.
    """
    priority: int | None = None
    """
    While a run of lower priority that allows preemption holds the project, a run of this priority uses the chip between its measurements, and is not refused (409 project_busy). Default 0.
    """


class TaskFile(Model):
    name: str
    class_name: str
    task_type: Literal["global", "qubit", "coupling", "system"] | str
    description: str
    file_path: str
    category: str
    enabled: bool
    input_parameters: dict[str, dict[str, str]]
    run_parameters: dict[str, dict[str, str]]


class Backend1(Model):
    name: str
    path: str


class TaskFileBackends(Model):
    backends: list[Backend1]


class TaskFileContent(Model):
    content: str
    path: str
    name: str
    size: int
    modified: datetime
    """
    When the file was edited; for a shipped one, when this process read the catalog.
    """


class TaskFileList(Model):
    tasks: list[TaskFile]


class TaskFileSettings(Model):
    default_backend: str
    default_view_mode: str
    sort_order: str


class OutputParametersInfoItem(Model):
    name: str
    description: str


class TaskKnowledgeSummary(Model):
    name: str
    category: str
    summary: str
    failure_mode_count: int
    case_count: int
    image_count: int
    has_analysis_guide: bool
    has_review_guide: bool


class TaskNotes(Model):
    task_id: str
    qid: str
    note: Note
    ai_review_note: Note


class ParameterOverrides(Model):
    input: dict[str, Any] | None = None
    """
    Inputs by name, in place of those of the result.
    """
    run: dict[str, Any] | None = None
    """
    Run parameters by name, in place of those of the result.
    """


class TaskReExecution(Model):
    parameter_overrides: ParameterOverrides | None = None
    update_params: bool | None = None
    """
    Accepted for clients that know parameter files; values reach calibration state without it.
    """
    reconfigure: bool | None = None
    """
    Run the task Configure on the qubit first.
    """


class ReExecution(Model):
    task_id: str
    task_name: str
    qid: str
    status: Literal["scheduled", "running", "completed", "failed", "pending", "skipped", "cancelled"] | str
    start_at: datetime | None


class TaskResult(Model):
    task_id: str
    task_name: str
    qid: str
    chip_id: str
    status: Literal["scheduled", "running", "completed", "failed", "pending", "skipped", "cancelled"] | str
    execution_id: str
    flow_name: str
    user_id: str
    username: str
    figure_path: list[str]
    json_figure_path: list[str]
    raw_data_path: list[str]
    input_parameters: dict[str, ParameterRecord]
    output_parameters: dict[str, ParameterRecord]
    output_parameter_names: list[str]
    run_parameters: dict[str, RunParameterRecord]
    suggested_run_parameters: dict[str, RunParameterRecord]
    """
    If the result was refused: run parameters with which the task may succeed. Empty if none are known.
    """
    check: TaskCheck | None
    """
    Result of a check; null for other tasks.
    """
    quality_metrics: dict[str, float | None]
    note: dict[str, str]
    tags: list[str]
    message: str
    stack_trace: str
    source_task_id: str
    re_executions: list[ReExecution]
    start_at: datetime | None
    end_at: datetime | None
    elapsed_time: str | None
    ai_review_note: AiReviewNote


class TaskResultItem(Model):
    task_id: str
    task_name: str
    qid: str
    chip_id: str
    status: Literal["scheduled", "running", "completed", "failed", "pending", "skipped", "cancelled"] | str
    execution_id: str
    user_id: str
    username: str
    message: str
    has_stack_trace: bool
    source_task_id: str
    start_at: datetime | None = None
    end_at: datetime | None = None
    elapsed_time: str | None = None
    ai_review_status: str


class TaskResultList(Model):
    items: list[TaskResultItem]
    total: int
    skip: int
    limit: int
    status_counts: dict[str, int]


class TaskTreeEntry(Model):
    name: str
    path: str
    type: Literal["file", "directory"] | str
    children: list[TaskTreeEntry] | None


class TaskYield(Model):
    task: str
    completed: int
    failed: int
    skipped: int
    cancelled: int
    yield_: float | None = Field(..., alias="yield")


class Token(Model):
    access_token: str
    token_type: Literal["bearer"]
    expires_in: float
    """
    Seconds until the token expires.
    """
    user_id: str
    username: str
    default_project_id: str | None
    must_change_password: bool


class Mux1(Model):
    enabled: bool
    size: int


class Qubits1(Model):
    row: int
    col: int


class Visualization(Model):
    show_mux_boundaries: bool
    region_size: int


class TopologyDefinition(Model):
    id: str
    name: str
    description: str
    grid_size: int
    num_qubits: int
    layout_type: Literal["grid", "hex", "linear"] | str
    direction_convention: Literal["unspecified", "checkerboard_cr"] | str
    mux: Mux1
    qubits: dict[str, Qubits1]
    couplings: list[list[int]]
    visualization: Visualization


class TopologyItem(Model):
    id: str
    name: str
    num_qubits: int


class UnreadNotifications(Model):
    unread_count: int


class UpdateServiceAccountBody(Model):
    role: (Literal["editor", "viewer"] | str) | None = None
    display_name: str | None = None
    disabled: bool | None = None
    """
    true also revokes its tokens.
    """


class UploadForumImageBody(Model):
    file: bytes


class UploadIssuesImageBody(Model):
    file: bytes


class UploadedImage(Model):
    url: str
    """
    Address of the image on the API, to be put into a text.
    """


class UploadedMeasurementFile(Model):
    path: str
    """
    Use it as dataset_path or raw_data of the result.
    """
    size: float


class User(Model):
    user_id: str
    username: str
    display_name: str | None
    organization: str | None
    avatar_key: str | None
    disabled: bool
    default_project_id: str | None
    must_change_password: bool
    system_role: Literal["admin", "user"] | str


class UserChange(Model):
    display_name: str | None = None
    organization: str | None = None
    avatar_key: str | None = None
    disabled: bool | None = None
    system_role: (Literal["admin", "user"] | str) | None = None


class UserImport(Model):
    results: list[ImportedRow]
    created: int
    skipped: int
    failed: int
    total: int


class UserList(Model):
    users: list[User]
    total: int


class WiringEvent(Model):
    id: str
    cooldown_id: str
    actor_user_id: str
    actor: str
    action: Literal["checkpoint"]
    comment: str
    wiring_info_snapshot: str
    block_count: int
    image_count: int
    created_at: datetime


class WiringEventList(Model):
    events: list[WiringEvent]


class AgentCampaignCommit(Model):
    commit_id: str
    session_id: str
    idempotency_key: str
    qid: str
    status: Literal["committing", "committed", "failed"] | str
    reason: str
    """
    Why it failed; empty otherwise.
    """
    committed_by: str
    state_version_before: int
    state_version_after: int
    created_at: datetime
    committed_at: datetime | None
    chip_id: str
    candidates: list[AgentCandidate]
    before_snapshot: dict[str, ParameterRecord | None]
    after_snapshot: dict[str, ParameterRecord | None] | None


class AgentCandidateCommit(Model):
    commit_id: str
    session_id: str
    idempotency_key: str
    qid: str
    status: Literal["committing", "committed", "failed"] | str
    reason: str
    """
    Why it failed; empty otherwise.
    """
    committed_by: str
    state_version_before: int
    state_version_after: int
    created_at: datetime
    committed_at: datetime | None
    action_id: str
    execution_id: str
    task_id: str
    task_name: str
    parameter_name: str
    value: float
    before_snapshot: ParameterRecord | None
    after_snapshot: ParameterRecord | None
    backend_status: Literal["not_started", "dispatching", "queued", "applying", "applied", "failed"] | str
    backend_operation_id: str | None
    backend_name: str
    backend_target_files: list[str]
    backend_changed_files: list[str]
    backend_verified: bool
    """
    The files were read back and are correct.
    """
    backend_base_git_commit: str | None
    backend_git_commit: str | None
    backend_error: str
    backend_requested_at: datetime | None
    backend_applied_at: datetime | None
    """
    When the apply ended, successfully or not.
    """


class AgentCommitList(Model):
    items: list[ListedAgentCommit]
    total: int
    skip: int
    limit: int


class AgentSessionCreate(Model):
    chip_id: str
    policy: GivenAgentPolicy
    expires_in_seconds: int | None = None
    skill_name: str | None = None
    skill_version: str | None = None
    skill_hash: str | None = None
    model_name: str | None = None


class AiReviewRequest(Model):
    chip_id: str
    task: str
    entity_type: str | None = None
    date: str | None = None
    """
    Day as YYYYMMDD in the time zone of the service; null or `latest`: the newest results.
    """
    task_ids: list[str] | None = None
    """
    Review only these results.
    """
    model_override: ModelOverride | None = None


class AnalysisQuestion(Model):
    task_id: str
    task_name: str | None = None
    chip_id: str | None = None
    qid: str | None = None
    execution_id: str | None = None
    message: str | None = None
    conversation_history: list[ConversationHistoryItem] | None = None
    image_base64: str | None = None
    """
    A PNG, JPEG, GIF or WebP picture.
    """
    model_override: ModelOverride | None = None


class AnswerErrorEvent(Model):
    type: Literal["error"]
    step: (
        Literal[
            "init",
            "load_forum",
            "load_issue",
            "build_history",
            "load_context",
            "run_chat",
            "tool_call",
            "thinking",
            "save_reply",
            "complete",
        ]
        | str
    )
    detail: str
    code: (
        Literal[
            "bad_request",
            "already_exists",
            "invalid_parameters",
            "unreadable_file",
            "not_authenticated",
            "forbidden",
            "not_found",
            "method_not_allowed",
            "request_timeout",
            "conflict",
            "not_cancellable",
            "quota_exceeded",
            "gone",
            "precondition_failed",
            "too_large",
            "unsupported_media_type",
            "range_not_satisfiable",
            "invalid_input",
            "too_many_requests",
            "headers_too_large",
            "internal",
            "engine_unavailable",
            "wrong_installation",
            "store_unavailable",
            "disk_unavailable",
            "wrong_current_password",
            "wrong_credentials",
            "second_factor_required",
            "account_disabled",
            "admin_required",
            "insufficient_scope",
            "sign_in_required",
            "password_change_required",
            "invalid_csv",
            "own_account",
            "last_administrator",
            "project_required",
            "owner_membership",
            "invalid_configuration",
            "repository_unavailable",
            "sign_in_refused",
            "identity_provider_unavailable",
            "invalid_flow",
            "project_busy",
            "not_running",
            "already_paused",
            "not_paused",
            "idempotency_conflict",
            "no_worker",
            "already_answered",
            "update_running",
            "unknown_model",
            "model_not_allowed",
            "model_failed",
            "ai_disabled",
            "model_unavailable",
            "stale_version",
            "session_closed",
            "not_ready",
            "candidate_refused",
            "value_changed",
            "update_blocked",
            "updater_unavailable",
        ]
        | str
    )
    """
    The stable name of an error, for programs. Later versions may add names.
    """


class AppendedMessages(Model):
    messages: list[ChatMessageCreate]


class ChatQuestion(Model):
    message: str
    chip_id: str | None = None
    qid: str | None = None
    conversation_history: list[ConversationHistoryItem] | None = None
    image_base64: str | None = None
    """
    A PNG, JPEG, GIF or WebP picture.
    """
    model_override: ModelOverride | None = None


class ChatResultEvent(Model):
    blocks: list[Block]
    message: str
    model: str
    usage: ModelUsage
    type: Literal["result"]


class CheckAvailability(Model):
    flow_name: str | None = None
    parameters: dict[str, Any] | None = None
    """
    As for execute; `chip_id` names the chip.
    """


class Chip(Model):
    chip_id: str
    size: int
    topology_id: str
    qubit_count: int
    coupling_count: int
    installed_at: datetime
    activity_status: Literal["active", "inactive"] | str
    current_cooldown_id: str | None
    note: Note


class ChipList(Model):
    chips: list[Chip]
    total: int


class ChipMetrics(Model):
    chip_id: str
    username: str
    qubit_count: int
    within_hours: int | None
    start_at: datetime | None
    end_at: datetime | None
    qubit_metrics: dict[str, dict[str, MetricValue]]
    coupling_metrics: dict[str, dict[str, MetricValue]]


class Slice(Model):
    from_: datetime = Field(..., alias="from")
    to: datetime
    parts: list[ChipTimeShare]


class ChipTime(Model):
    chip_id: str
    from_: datetime = Field(..., alias="from")
    to: datetime
    seconds: float
    runs: int
    """
    Runs that were open at some time in it.
    """
    parts: list[ChipTimeShare]
    slices: list[Slice]
    """
    The same values per hour or day, if requested.
    """


class ConnectedWorker(Model):
    identity: str
    since: datetime
    """
    When it was first seen.
    """
    seen_at: datetime
    """
    When it last asked for work, or was seen measuring.
    """
    described_at: datetime | None
    """
    Null for a worker that has not described itself.
    """
    software: str
    version: str
    """
    The version of the lab's own code.
    """
    at_once: int | None
    """
    Measurements that it makes at the same time.
    """
    problem: str | None
    """
    What is wrong with the instrument, as its health check says.
    """
    tasks: list[AnnouncedTask] | None
    measuring: list[CurrentMeasurement]


class Cooldown(Model):
    cooldown_id: str
    cryo_id: str
    description: str
    started_at: datetime
    ended_at: datetime | None
    """
    Null while it is active.
    """
    chip_ids: list[str]
    note: Note
    wiring_info: str
    """
    Markdown.
    """
    wiring_blocks: list[dict[str, Any]]
    """
    The same text in the format of the client's editor.
    """


class CopilotAnswer(Model):
    blocks: list[Block]
    message: str
    model: str
    usage: ModelUsage


class CopilotConfig(Model):
    enabled: bool
    response_language: str
    model: LanguageModel | None
    models: list[LanguageModel]
    initial_message: str
    suggestions: list[Suggestion]
    scoring: dict[str, Scoring]
    analysis: ReviewSettings
    available: bool
    """
    Whether chats have a model.
    """


class Coupling(Model):
    qid: str
    chip_id: str
    status: Literal["pending", "completed", "failed"] | str
    data: dict[str, ParameterRecord]
    note: Note
    metric_notes: dict[str, Note]


class CouplingList(Model):
    couplings: list[Coupling]
    total: int
    limit: int
    offset: int


class CreatedServiceAccount(Model):
    user_id: str
    username: str
    """
    Name under which it acts: its own name, and a part that belongs to the project.
    """
    name: str
    display_name: str | None
    project_id: str
    role: (Literal["editor", "viewer"] | str) | None
    """
    null when its membership has been ended.
    """
    disabled: bool
    created_by: str
    """
    Username of the person whose share of the limits it uses.
    """
    created_at: datetime
    tokens: list[ProgramToken]
    token: str
    """
    The token itself, shown only here.
    """


class Cryostat(Model):
    cryo_id: str
    name: str
    manufacturer: str
    model: str
    location: str
    status: Literal["active", "maintenance", "decommissioned"] | str
    commissioned_at: datetime | None
    decommissioned_at: datetime | None
    note: Note


class CryostatList(Model):
    cryostats: list[Cryostat]


class DeployedRun(Model):
    project_id: str
    execution_id: str
    chip_id: str
    started_at: datetime
    build_id: str | None
    """
    The version that last carried it on; null without versions.
    """
    is_pinned: bool
    """
    Whether it stays with this version, whichever one is promoted.
    """
    stages: list[str | None]
    """
    For each open stage, the version with which it stays; null without versions.
    """
    rollback: RollbackEffect | None
    """
    With `rollback_to`: what a promotion of that version does to it.
    """


class DeployedRunList(Model):
    items: list[DeployedRun]
    total: int
    skip: int
    limit: int


class Device(Model):
    name: str
    device_id: str
    qubits: list[DeviceQubit]
    couplings: list[DeviceCoupling]
    calibrated_at: datetime


class Error(Model):
    detail: str
    """
    Message for users.
    """
    code: (
        Literal[
            "bad_request",
            "already_exists",
            "invalid_parameters",
            "unreadable_file",
            "not_authenticated",
            "forbidden",
            "not_found",
            "method_not_allowed",
            "request_timeout",
            "conflict",
            "not_cancellable",
            "quota_exceeded",
            "gone",
            "precondition_failed",
            "too_large",
            "unsupported_media_type",
            "range_not_satisfiable",
            "invalid_input",
            "too_many_requests",
            "headers_too_large",
            "internal",
            "engine_unavailable",
            "wrong_installation",
            "store_unavailable",
            "disk_unavailable",
            "wrong_current_password",
            "wrong_credentials",
            "second_factor_required",
            "account_disabled",
            "admin_required",
            "insufficient_scope",
            "sign_in_required",
            "password_change_required",
            "invalid_csv",
            "own_account",
            "last_administrator",
            "project_required",
            "owner_membership",
            "invalid_configuration",
            "repository_unavailable",
            "sign_in_refused",
            "identity_provider_unavailable",
            "invalid_flow",
            "project_busy",
            "not_running",
            "already_paused",
            "not_paused",
            "idempotency_conflict",
            "no_worker",
            "already_answered",
            "update_running",
            "unknown_model",
            "model_not_allowed",
            "model_failed",
            "ai_disabled",
            "model_unavailable",
            "stale_version",
            "session_closed",
            "not_ready",
            "candidate_refused",
            "value_changed",
            "update_blocked",
            "updater_unavailable",
        ]
        | str
    )
    """
    The stable name of an error, for programs. Later versions may add names.
    """


class ExecutionList(Model):
    executions: list[ExecutionSummary]
    total: int
    skip: int
    limit: int


class ExecutionLog(Model):
    log: list[ExecutionLogEntry]
    """
    All values, and the first 500 and newest 500 messages; a message between them names the file with all.
    """
    total: int
    skip: int
    limit: int


class ExecutionReExecution(Model):
    flow_name: str
    parameter_overrides: dict[str, Any] | None = None
    """
    Parameters in place of the flow's defaults.
    """


class ExecutionStage(Model):
    index: int
    name: str
    status: Literal["running", "done", "cancelled"] | str
    tasks: list[str]
    targets: int
    counts: dict[str, int] | None
    passed: list[str]
    failed: list[StageFailure]
    yields: list[TaskYield]
    target_yield: float | None
    """
    Share of the targets that passed every task.
    """
    start_at: datetime
    end_at: datetime | None


class ExecutionStageDetail(Model):
    index: int
    name: str
    status: Literal["running", "done", "cancelled"] | str
    tasks: list[str]
    targets: int
    counts: dict[str, int] | None
    passed: list[str]
    failed: list[StageFailure]
    yields: list[TaskYield]
    target_yield: float | None
    """
    Share of the targets that passed every task.
    """
    start_at: datetime
    end_at: datetime | None
    metrics: dict[str, Metrics]
    metrics_truncated: bool
    """
    True when the stage found more values than are kept here.
    """


class ExecutionStageList(Model):
    stages: list[ExecutionStage]
    total: int
    skip: int
    limit: int


class ExecutionTask(Model):
    user_id: str
    username: str
    task_id: str
    qid: str
    name: str
    upstream_id: str
    status: Literal["scheduled", "running", "completed", "failed", "pending", "skipped", "cancelled"] | str
    message: str
    input_parameters: dict[str, ParameterRecord]
    output_parameters: dict[str, ParameterRecord]
    output_parameter_names: list[str]
    run_parameters: dict[str, RunParameterRecord]
    note: dict[str, str]
    figure_path: list[str]
    json_figure_path: list[str]
    raw_data_path: list[str]
    start_at: datetime | None
    end_at: datetime | None
    elapsed_time: str | None
    task_type: Literal["global", "qubit", "coupling", "system"] | str
    default_view: bool


class ExecutionTaskPart(Model):
    user_id: str | None = None
    username: str | None = None
    task_id: str | None = None
    qid: str | None = None
    name: str | None = None
    upstream_id: str | None = None
    status: (
        Literal["scheduled", "running", "completed", "failed", "pending", "skipped", "cancelled"] | str
    ) | None = None
    message: str | None = None
    input_parameters: dict[str, ParameterRecord] | None = None
    output_parameters: dict[str, ParameterRecord] | None = None
    output_parameter_names: list[str] | None = None
    run_parameters: dict[str, RunParameterRecord] | None = None
    note: dict[str, str] | None = None
    figure_path: list[str] | None = None
    json_figure_path: list[str] | None = None
    raw_data_path: list[str] | None = None
    start_at: datetime | None = None
    end_at: datetime | None = None
    elapsed_time: str | None = None
    task_type: (Literal["global", "qubit", "coupling", "system"] | str) | None = None
    default_view: bool | None = None


class ExplainedParameter(Model):
    name: str
    parameter_name: str
    value: Any
    unit: str
    error: float | None
    source: str | None
    """
    Where the task took the value from: database, default, override, …
    """
    calibrated_at: datetime | None
    origin: ParameterVersion | None
    """
    The version of the value; null if it was not a version.
    """


class Task(Model):
    task_id: str
    task_name: str
    task_type: str
    qid: str
    status: str
    message: str
    start_at: datetime | None
    end_at: datetime | None
    elapsed_time: str | None
    quality_metrics: dict[str, float | None]
    run_parameters: dict[str, RunParameterRecord]
    figure_path: list[str]
    json_figure_path: list[str]
    raw_data_path: list[str]
    source_task_id: str


class Notes(Model):
    task: Note | None
    target: Note | None
    metric: Note | None
    comments: list[NoteComment]


class Explanation(Model):
    entity: ParameterVersion
    latest_version: int | None
    """
    Number of the current version, when this one is not.
    """
    previous: ParameterVersion | None
    """
    The version that this one replaced.
    """
    gates: list[GateResult]
    """
    As judged when the task ended; by the current catalog if the result did not store it.
    """
    activity: ProvenanceActivity | None
    task: Task | None
    execution: Execution1 | None
    inputs: list[ExplainedParameter]
    cooldown: Cooldown1 | None
    notes: Notes
    reason: str | None
    """
    What the editor gave as the reason; empty where none was given, null for values not edited by hand.
    """
    who: Who | None


class FlowCreate(Model):
    name: str
    code: str
    chip_id: str
    description: str | None = None
    flow_function_name: str | None = None
    """
    The exported async function; the flow's name when absent.
    """
    default_parameters: dict[str, Any] | None = None
    default_run_parameters: dict[str, Any] | None = None
    tags: list[str] | None = None


class FlowDraftQuestion(Model):
    prompt: str
    code: str | None = None
    context: str | None = None
    flow_function_name: str | None = None
    model_override: ModelOverride | None = None


class FlowExecution(Model):
    parameters: dict[str, Any] | None = None
    require_worker: bool | None = None
    """
    true: the run is refused (409 no_worker) if no worker serves its backend, and does not wait.
    """
    priority: int | None = None
    """
    While a run of lower priority that allows preemption holds the project, a run of this priority uses the chip between its measurements, and is not refused (409 project_busy). Default 0.
    """
    allow_preemption: bool | None = None
    """
    true: runs of higher priority may use the chip between the measurements of this run, which continues afterwards.
    """


class FlowParameter(Model):
    type: (
        Literal[
            "number",
            "integer",
            "text",
            "boolean",
            "qubits",
            "muxes",
            "pairs",
            "qubit_groups",
            "pair_groups",
            "tasks",
            "attempts",
            "list",
            "any",
        ]
        | str
    )
    description: str
    required: bool | None = None
    required_unless: str | None = None
    alias_of: str | None = None
    default: Any | None = None
    """
    Any JSON value.
    """
    minimum: float | None = None
    maximum: float | None = None
    one_of: list[str] | None = None


class FlowTemplateDetail(Model):
    id: str
    name: str
    description: str
    category: str
    filename: str
    function_name: str
    code: str
    parameters: dict[str, FlowParameter] | None
    """
    What the flow declares to take; null when it declares nothing and takes anything.
    """


class FlowVersionDetail(Model):
    version_id: str
    """
    Identifies the code: the same code has the same id.
    """
    saved_by: str
    """
    Who saved this code last.
    """
    saved_at: datetime
    is_current: bool
    flow_function_name: str
    description: str
    chip_id: str
    tags: list[str]
    code: str
    default_parameters: dict[str, Any]
    default_run_parameters: dict[str, Any]


class Ui(Model):
    task_files: TaskFileSettings


class GetTopologyAnswer(Model):
    data: TopologyDefinition


class KnowledgeCase(Model):
    title: str
    date: str
    severity: str
    chip_id: str
    qid: str
    status: str
    human_label: str
    failure_mode_labels: list[str]
    case_type: list[str]
    model_error_type: str
    resolution_label: str
    symptom: str
    model_prediction: str
    human_review_decision: str
    root_cause: str
    resolution: str
    boundary_criteria: str
    lesson_learned: list[str]
    applicability: str
    counterexample: str
    prompt_guidance: str
    images: list[KnowledgeImage]


class LineageNode(Model):
    node_type: Literal["entity", "activity"] | str
    node_id: str
    depth: int
    entity: ParameterVersion | None
    activity: ProvenanceActivity | None
    latest_version: int | None


class ListPasskeysAnswer(Model):
    items: list[Passkey]


class ListProgramTokensAnswer(Model):
    tokens: list[ProgramToken]
    total: int


class ListServiceAccountsAnswer(Model):
    service_accounts: list[ServiceAccount]
    """
    Sorted by username.
    """
    total: int


class ListTopologiesAnswer(Model):
    topologies: list[TopologyItem]


class ListedCooldown(Model):
    cooldown_id: str
    cryo_id: str
    description: str
    started_at: datetime
    ended_at: datetime | None
    """
    Null while it is active.
    """
    chip_ids: list[str]
    note: Note


class ManualEdit(Model):
    edit_id: str
    chip_id: str
    qid: str
    target_type: Literal["qubit", "coupling"] | str
    changes: list[ParameterEdit]
    reason: str
    edited_by: str
    edited_at: datetime
    undone_by: str | None
    undone_at: datetime | None
    undo_of: str | None
    """
    The edit that this one took back.
    """


class ManualEditList(Model):
    items: list[ManualEdit]
    total: int
    skip: int
    limit: int


class MeasuredEntry(Model):
    user_id: str
    username: str
    task_id: str
    qid: str
    name: str
    upstream_id: str
    status: Literal["scheduled", "running", "completed", "failed", "skipped", "cancelled"] | str
    message: str
    input_parameters: dict[str, SparseParameterRecord]
    output_parameters: dict[str, SparseParameterRecord]
    output_parameter_names: list[str]
    run_parameters: dict[str, SparseRunParameterRecord]
    note: dict[str, str]
    figure_path: list[str]
    json_figure_path: list[str]
    raw_data_path: list[str]
    start_at: datetime | None = None
    end_at: datetime | None = None
    elapsed_time: str | None = None
    task_type: Literal["global", "qubit", "coupling", "system"] | str
    default_view: bool
    execution_id: str
    over_threshold: bool
    ai_review: AiReviewState


class Threshold(Model):
    value: float
    range: MetricRange
    in_shown_unit: bool


class MetricDefinition(Model):
    title: str
    unit: str
    scale: float
    description: str
    evaluation: Evaluation
    threshold: Threshold | None
    error_rate_range: MetricRange | None = None


class MetricHistoryItem(Model):
    value: float | str | bool | list[float | str]
    execution_id: str
    task_id: str
    timestamp: datetime
    calibrated_at: datetime | None
    name: str
    input_parameters: dict[str, ParameterRecord]
    output_parameters: dict[str, ParameterRecord]
    excluded: bool
    excluded_reason: str
    excluded_by_user_id: str
    excluded_by: str
    excluded_at: datetime | None


class MetricsConfig(Model):
    qubit_metrics: dict[str, ShownMetric]
    coupling_metrics: dict[str, ShownMetric]
    color_scale: ColorScale
    cdf_groups: CdfGroups


class MetricsFileContent(Model):
    qubit_metrics: dict[str, MetricDefinition]
    coupling_metrics: dict[str, MetricDefinition]
    color_scale: ColorScale
    cdf_groups: CdfGroups


class MuxEntry(Model):
    task_id: str | None
    name: str
    status: Literal["scheduled", "running", "completed", "failed", "pending", "skipped", "cancelled"] | str
    message: str | None
    input_parameters: dict[str, ParameterRecord] | None
    output_parameters: dict[str, ParameterRecord] | None
    output_parameter_names: list[str] | None
    note: dict[str, str] | None
    figure_path: list[str] | None
    json_figure_path: list[str] | None
    raw_data_path: list[str] | None
    start_at: datetime | None
    end_at: datetime | None
    elapsed_time: str | None
    task_type: (Literal["global", "qubit", "coupling", "system"] | str) | None
    qid: str | None
    upstream_id: str | None


class NotesSummary(Model):
    chip_id: str
    qubits: list[TargetNotes]
    couplings: list[TargetNotes]
    task_notes: list[TaskNotes]


class OutputSeries(Model):
    data: dict[str, list[ParameterRecord]]


class QubitMetricHistory(Model):
    qid: str
    chip_id: str
    metric_name: str
    username: str
    history: list[MetricHistoryItem]


class Retention(Model):
    max_age_days: int | None
    max_gib: float | None
    """
    While the files of the project have more GiB, those of its oldest runs are deleted; null: none are deleted for their size.
    """
    updated_by: str | None
    updated_at: datetime | None
    last_round_at: datetime | None
    """
    When files were last deleted by the rule. There is a round a day.
    """
    last_outcome: RetentionOutcome | None


class Schedule(Model):
    schedule_id: str
    flow_name: str
    schedule_type: Literal["cron", "one-time"] | str
    cron: str | None
    next_run: datetime | None
    """
    The next due time, without jitter; null when there is none.
    """
    active: bool
    timezone: str
    parameters: dict[str, Any]
    jitter_seconds: int
    priority: int
    allow_preemption: bool
    created_by: str
    runs_as: str
    """
    The user in whose name runs are started: the one who created the schedule, or who took it over.
    """
    paused_reason: str | None
    """
    Why the service paused it. The user who sets `active` to true takes it over.
    """
    created_at: datetime
    last_outcome: ScheduleOutcome | None


class ScheduleList(Model):
    schedules: list[Schedule]
    total: int
    limit: int
    offset: int


class SparseMuxEntry(Model):
    task_id: str | None = None
    name: str
    status: Literal["scheduled", "running", "completed", "failed", "pending", "skipped", "cancelled"] | str
    message: str | None = None
    input_parameters: dict[str, SparseParameterRecord] | None = None
    output_parameters: dict[str, SparseParameterRecord] | None = None
    output_parameter_names: list[str] | None = None
    note: dict[str, str] | None = None
    figure_path: list[str] | None = None
    json_figure_path: list[str] | None = None
    raw_data_path: list[str] | None = None
    start_at: datetime | None = None
    end_at: datetime | None = None
    elapsed_time: str | None = None
    task_type: (Literal["global", "qubit", "coupling", "system"] | str) | None = None
    qid: str | None = None
    upstream_id: str | None = None


class TaskKnowledge(Model):
    name: str
    category: str
    summary: str
    what_it_measures: str
    physical_principle: str
    expected_result: ExpectedResult
    evaluation_criteria: str
    check_questions: list[str]
    failure_modes: list[FailureMode]
    tips: list[str]
    output_parameters_info: list[OutputParametersInfoItem]
    analysis_guide: list[str]
    prerequisites: list[str]
    images: list[KnowledgeImage]
    review_markdown: str
    review_images: list[KnowledgeImage]
    cases: list[KnowledgeCase]
    prompt_text: str
    review_prompt_text: str


class TaskKnowledgeList(Model):
    items: list[TaskKnowledgeSummary]
    categories: dict[str, str]


class Backend(Model):
    name: str
    username: str
    workers: list[ConnectedWorker]


class CooldownList(Model):
    cooldowns: list[ListedCooldown]


class CouplingMetricHistory(Model):
    qid: str
    """
    The coupling, as in `coupling_id`.
    """
    coupling_id: str
    chip_id: str
    metric_name: str
    username: str
    history: list[MetricHistoryItem]


class Execution(Model):
    name: str
    execution_id: str
    status: Literal["scheduled", "running", "completed", "failed", "cancelled"] | str
    message: str | None
    flow_name: str
    user_id: str
    username: str
    start_at: datetime | None
    end_at: datetime | None
    elapsed_time: str | None
    task: list[ExecutionTask]
    note: ExecutionNote
    tags: list[str]
    chip_id: str
    flow_run_state: Literal["PENDING", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED", "CRASHED"] | str
    waiting: str | None
    """
    What the run waits for; null while it does not wait.
    """
    preempts: str | None
    """
    The execution of lower priority between whose measurements this one uses the chip.
    """
    preempted_by: str | None
    """
    The execution that uses the chip between measurements.
    """
    flow_run_url: str | None
    """
    The run in Temporal's UI; null if it has no workflow.
    """
    log: list[ExecutionLogEntry]
    """
    The newest 200 that the flow logged or recorded, in order.
    """


class ExecutionPart(Model):
    name: str
    execution_id: str
    status: Literal["scheduled", "running", "completed", "failed", "cancelled"] | str
    message: str | None
    flow_name: str
    user_id: str
    username: str
    start_at: datetime | None
    end_at: datetime | None
    elapsed_time: str | None
    task: list[ExecutionTaskPart]
    note: ExecutionNote
    tags: list[str]
    chip_id: str
    flow_run_state: Literal["PENDING", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED", "CRASHED"] | str
    waiting: str | None
    """
    What the run waits for; null while it does not wait.
    """
    preempts: str | None
    """
    The execution of lower priority between whose measurements this one uses the chip.
    """
    preempted_by: str | None
    """
    The execution that uses the chip between measurements.
    """
    flow_run_url: str | None
    """
    The run in Temporal's UI; null if it has no workflow.
    """
    log: list[ExecutionLogEntry]
    """
    The newest 200 that the flow logged or recorded, in order.
    """


class FlowDetail(Model):
    name: str
    created_by: str
    description: str
    chip_id: str
    flow_function_name: str
    created_at: datetime
    updated_at: datetime
    tags: list[str]
    file_exists: bool
    code: str
    default_parameters: dict[str, Any]
    default_run_parameters: dict[str, Any]
    file_path: str
    parameters: dict[str, FlowParameter] | None
    """
    What the flow declares to take; null when it declares nothing and takes anything.
    """


class GetClientConfigurationAnswer(Model):
    ui: Ui
    metrics: MetricsFileContent
    copilot: ShownCopilotConfig


class Lineage(Model):
    origin: LineageNode
    nodes: list[LineageNode]
    edges: list[LineageEdge]
    max_depth: int
    truncated: bool


class ListBackendsAnswer(Model):
    backends: list[Backend]


class Mux(Model):
    mux_id: int
    detail: dict[str, dict[str, MuxEntry]]


class ResultHistory(Model):
    name: str
    data: dict[str, MeasuredEntry | PendingEntry]
    """
    Results by task id, newest first.
    """
    total: int
    skip: int
    limit: int


class ResultsByTarget(Model):
    task_name: str
    result: dict[str, MeasuredEntry | PendingEntry]


class SparseMux(Model):
    mux_id: int
    detail: dict[str, dict[str, SparseMuxEntry]]


class MuxList(Model):
    muxes: dict[str, SparseMux]


ConfigurationEntry.model_rebuild()
TaskTreeEntry.model_rebuild()

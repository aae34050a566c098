import { keyOf, type ProjectId, type UserId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import { derivedId } from '../../kernel/new-ids.ts';
import type { Actor, UserDocument } from '../accounts/model.ts';
import type { Projects } from '../projects/index.ts';
import type { NotificationSource } from './model.ts';
import { excerptOf, kindOf, mentionsIn, type Reason, titleOf } from './rules.ts';
import type { Inboxes } from './store.ts';

/** A written text that may cause notifications. */
export interface Written {
  projectId: ProjectId;
  /** The author, who is never notified. */
  actor: Actor;
  event: {
    source_type: NotificationSource;
    source_id: string;
    /** Deduplication key if it is not the source: writes with the same key send each user one message. */
    key?: string;
    /** Address of the text within the client. */
    target_url: string;
    /** Where the text was written, as part of a sentence: "#12 Readout drifts". */
    where: string;
  };
  /** The text in which mentions are found. */
  text: string;
  /** The text whose start inboxes display. Default: `text`. */
  excerpt?: string;
  /** Usernames of assignees. */
  assigned?: readonly string[];
  /** User ids of the authors of the text it replies to. */
  replied?: readonly UserId[];
}

interface Recipient {
  user: UserDocument;
  reason: Reason;
}

/** Sends notifications for written texts. */
export function createNotifying(needs: { inboxes: Inboxes; members: Projects['members']; log: Logger }) {
  const { inboxes, members, log } = needs;
  let failures = 0;

  /** The recipients, each with the strongest reason. */
  async function recipients({ projectId, actor, text, assigned = [], replied = [] }: Written) {
    const mentions = mentionsIn(text);
    const [named, everybody] = await Promise.all([
      members.working(projectId, { usernames: [...mentions.names.flat(), ...assigned], userIds: replied }),
      mentions.everybody ? members.allWorking(projectId) : [],
    ]);
    const byName = new Map(named.map((user) => [user.username, user]));
    const mentioned = mentions.names.flatMap((names) => {
      const name = names.find((each) => byName.has(each));
      return byName.get(name ?? '') ?? [];
    });
    const recipientById = new Map<string, Recipient>();
    const add = (users: readonly UserDocument[], reason: Reason) => {
      for (const user of users) {
        if (user._id !== actor.user_id && !recipientById.has(user._id))
          recipientById.set(user._id, { user, reason });
      }
    };
    add(
      named.filter((user) => assigned.includes(user.username)),
      'assigned',
    );
    add([...mentioned, ...everybody], 'mentioned');
    add(
      named.filter((user) => replied.includes(user._id)),
      'replied',
    );
    return [...recipientById.values()];
  }

  async function tellAll(written: Written): Promise<void> {
    const { projectId, actor, event, text, excerpt: shown = text } = written;
    const { source_type, source_id, target_url, where } = event;
    const created_at = new Date();
    const excerpt = excerptOf(shown);
    const put = ({ user, reason }: Recipient, ...key: string[]) =>
      inboxes.put({
        _id: keyOf(projectId, user._id, ...key),
        id: derivedId(user._id, keyOf(projectId, ...key)),
        project_id: projectId,
        recipient_user_id: user._id,
        recipient_username: user.username,
        actor_user_id: actor.user_id,
        actor_username: actor.username,
        kind: kindOf[source_type][reason === 'replied' ? 'replied' : 'mentioned'],
        source_type,
        source_id,
        target_url,
        title: titleOf(actor.username, reason, where),
        excerpt,
        read_at: null,
        created_at,
      });
    const key = [source_type, event.key ?? source_id];
    await Promise.all(
      (await recipients(written)).map(async (each) => {
        const isNew = await put(each, ...key);
        // A user who was mentioned before still gets the notification of the assignment.
        if (!isNew && each.reason === 'assigned') await put(each, ...key, 'assigned');
      }),
    );
  }

  return {
    /**
     * Notifies the users who are mentioned in a text, assigned by it or replied to, if they may work in the project. Each
     * gets one message; the author gets none. Call it after the write: a failure is logged and counted,
     * never thrown.
     */
    async notify(written: Written): Promise<void> {
      try {
        await tellAll(written);
      } catch (thrown) {
        failures += 1;
        const { source_type, source_id } = written.event;
        log.error(
          { err: thrown, project_id: written.projectId, source_type, source_id },
          'notifications were not written',
        );
      }
    },

    /** Number of writes since the start of the process whose notifications failed. */
    failures: () => failures,
  };
}

import type { Menu, MenuDocument } from './model.ts';

/** A stored menu as clients see it, with its parts as they were written. */
export function menuOf(stored: MenuDocument): Menu {
  return {
    name: stored.name,
    chip_id: stored.chip_id,
    username: stored.username,
    description: stored.description,
    backend: stored.backend,
    schedule: stored.schedule,
    notify_bool: stored.notify_bool,
    tasks: stored.tasks,
    task_details: stored.task_details,
    tags: stored.tags,
  };
}

import type { CollectionIndexes, Db } from './database.ts';
import type { Engine } from './engine/temporal.ts';
import type { Logger } from './log.ts';
import type { KernelSettings } from './settings.ts';

/**
 * Dependencies available to every area: store, engine, settings and log of the process. An area names the settings that it
 * reads besides those of the kernel: its own, and those of areas below it.
 */
export interface Kernel<AreaSettings extends object = object> {
  db: Db;
  engine: Engine;
  settings: KernelSettings & AreaSettings;
  log: Logger;
}

/** An area of the domain, as seen from outside. */
export interface Area<Name extends string, Needs, Operations> {
  /** The areas above it and the programs get its operations under this name. */
  readonly name: Name;
  /** Its collections. */
  readonly indexes: readonly CollectionIndexes[];
  /** Creates its operations from the kernel and the operations of the areas below it. Starts no background work. */
  readonly create: (needs: Needs) => Operations;
  /** Releases resources that its operations hold, such as threads. */
  readonly close?: (operations: Operations) => Promise<void>;
}

/** Declares an area; its types are inferred from `create`. */
export function defineArea<const Name extends string, Needs, Operations>(
  area: Area<Name, Needs, Operations>,
): Area<Name, Needs, Operations> {
  return area;
}

/** Areas in dependency order: each depends only on those before it. `AreaSettings` are the settings of all of them. */
export interface Areas<AreaSettings extends object, Operations extends object> {
  /** Every collection with its indexes. */
  readonly collections: readonly CollectionIndexes[];

  /** The same areas plus one on top. */
  with<Name extends string, Made>(
    area: Area<Name, Kernel<AreaSettings> & Operations, Made>,
  ): Areas<AreaSettings, Operations & Record<Name, Made>>;

  /** Opens the areas in a process. The operations of each area are created on first access. */
  open(kernel: Kernel<AreaSettings>): {
    areas: Operations;
    /** Closes the areas that were created. Database and engine belong to the caller and stay open. */
    close(): Promise<void>;
  };
}

/** The empty list, to which the first area is added. */
export function noAreas<AreaSettings extends object = object>(): Areas<AreaSettings, object> {
  return areasOver<AreaSettings, object>([], (kernel) => ({ ...kernel }));
}

type Close = () => Promise<void>;

/** @param provide returns what an area above these may need, and adds a close function per created area to `closing` */
function areasOver<AreaSettings extends object, Operations extends object>(
  collections: readonly CollectionIndexes[],
  provide: (kernel: Kernel<AreaSettings>, closing: Close[]) => Kernel<AreaSettings> & Operations,
): Areas<AreaSettings, Operations> {
  return {
    collections,
    with<Name extends string, Made>(area: Area<Name, Kernel<AreaSettings> & Operations, Made>) {
      const { name, indexes, create, close } = area;
      return areasOver<AreaSettings, Operations & Record<Name, Made>>(
        [...collections, ...indexes],
        (kernel, closing) => {
          const needs = provide(kernel, closing);
          addWhenAsked(needs, name, () => {
            const made = create(needs);
            if (close) closing.push(() => close(made));
            return made;
          });
          return needs;
        },
      );
    },
    open(kernel) {
      const closing: Close[] = [];
      return {
        areas: provide(kernel, closing),
        close: async () => void (await Promise.all(closing.splice(0).map((end) => end()))),
      };
    },
  };
}

/** Adds a property whose value is created on first read. */
function addWhenAsked<Target extends object, Name extends string, Value>(
  target: Target,
  name: Name,
  make: () => Value,
): asserts target is Target & Record<Name, Value> {
  let made: { value: Value } | undefined;
  Object.defineProperty(target, name, {
    enumerable: true,
    get() {
      made ??= { value: make() };
      return made.value;
    },
  });
}

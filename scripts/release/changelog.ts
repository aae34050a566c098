const UNRELEASED = '## [Unreleased]';
const SECTION = /^## \[([^\]]+)\]/gm;

/** The changelog cannot be released as it is. The message explains what to do. */
export class ChangelogNotReady extends Error {
  override readonly name = 'ChangelogNotReady';
}

/** Versions that have a section in a changelog, newest first. */
export function releasedVersions(changelog: string): string[] {
  return [...changelog.matchAll(SECTION)]
    .map(([, version = '']) => version)
    .filter((version) => version !== 'Unreleased');
}

/**
 * A changelog in which the entries under "Unreleased" belong to a version, below an empty "Unreleased".
 * @param date of the release, as YYYY-MM-DD
 * @param tested sentence about the tests of this version, added at its end
 * @throws ChangelogNotReady if there are no entries, or if the version has a section already
 */
export function releaseChangelog(
  changelog: string,
  { version, date, tested }: { version: string; date: string; tested: string },
): string {
  const start = changelog.indexOf(UNRELEASED);
  if (start < 0) throw new ChangelogNotReady(`CHANGELOG.md has no section "${UNRELEASED}". Add it.`);
  if (releasedVersions(changelog).includes(version))
    throw new ChangelogNotReady(`CHANGELOG.md has a section for ${version} already. Choose another version.`);
  const afterHeading = start + UNRELEASED.length;
  const next = changelog.indexOf('\n## [', afterHeading);
  const end = next < 0 ? changelog.length : next;
  const entries = changelog.slice(afterHeading, end).trim();
  if (!/^- /m.test(entries))
    throw new ChangelogNotReady('CHANGELOG.md has no entries under "Unreleased". Describe what has changed.');
  const rest = changelog.slice(end).trim();
  const sections = [
    changelog.slice(0, afterHeading),
    `## [${version}] - ${date}`,
    entries,
    '### Tested',
    `- ${tested}`,
    ...(rest === '' ? [] : [rest]),
  ];
  return `${sections.join('\n\n')}\n`;
}

import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';

/** The font of all figures. A package contains it, so text also appears on machines without fonts. */
export const FONT_FAMILY = 'DejaVu Sans';

const packages = createRequire(import.meta.url);

/** Path of one of the font's files. */
export function fontFile(name: 'DejaVuSans.ttf' | 'DejaVuSans-Bold.ttf'): string {
  return packages.resolve(`dejavu-fonts-ttf/ttf/${name}`);
}

for (const name of ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'] as const) {
  GlobalFonts.registerFromPath(fontFile(name), FONT_FAMILY);
}

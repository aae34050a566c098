import { applyTheme } from './theme.ts';
// In this order: later ones refine earlier ones.
import './style/base.css';
import './style/controls.css';
import './style/frame.css';
import './style/lattice.css';
import './style/tables.css';
import './style/messages.css';

applyTheme();
const element = document.getElementById('root');
if (!element) throw new Error('The page has no root.');

// Imported statically, both parts would be evaluated in one task, which holds up the page for longer than 0.1 s.
const showing = import('./show-console.tsx');
const { createRoot } = await import('react-dom/client');
const root = createRoot(element);
await new Promise((resolve) => setTimeout(resolve));
const { showConsole } = await showing;
showConsole(root);

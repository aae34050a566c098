// The search of the guide. It reads the parts of all pages once somebody types; without it the guide is complete.
import MiniSearch from 'minisearch';

const SHOWN = 12;
const input = document.querySelector('#search');
const list = document.querySelector('#found');

let index;
async function searched() {
  index ??= (async () => {
    const made = new MiniSearch({
      fields: ['heading', 'page', 'text'],
      storeFields: ['heading', 'page'],
      searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
    });
    made.addAll(await (await fetch('search.json')).json());
    return made;
  })();
  return index;
}

async function show() {
  const words = input.value.trim();
  const found = words === '' ? [] : (await searched()).search(words).slice(0, SHOWN);
  if (words !== input.value.trim()) return;
  list.hidden = words === '';
  list.replaceChildren(...(found.length > 0 ? found.map(entry) : [nothing()]));
}

function entry({ id, page, heading }) {
  const [item, link, place] = ['li', 'a', 'small'].map((tag) => document.createElement(tag));
  link.href = id;
  link.textContent = heading || page;
  place.textContent = page;
  link.append(place);
  item.append(link);
  return item;
}

function nothing() {
  const item = document.createElement('li');
  item.textContent = 'Nothing found.';
  return item;
}

input.hidden = false;
input.addEventListener('input', show);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') list.hidden = true;
  if (event.key === 'Enter') list.querySelector('a')?.click();
});
list.addEventListener('click', () => {
  list.hidden = true;
});

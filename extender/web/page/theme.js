// Dark, light, or as the system has it; kept by the browser where it may keep something.

import {byId} from './dom.js';

const kKey = 'gangplan.theme';
const kNext = {'': 'dark', dark: 'light', light: ''};
const kLabel = {'': '◑ Auto', dark: '☾ Dark', light: '☀ Light'};

export function startTheme(changed) {
  let theme = kept();
  const apply = () => {
    if (theme === '') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    byId('theme').textContent = kLabel[theme];
    changed();
  };
  const next = () => {
    theme = kNext[theme];
    keep(theme);
    apply();
  };
  byId('theme').addEventListener('click', next);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
  apply();
  return next;
}

function kept() {
  try {
    const theme = localStorage.getItem(kKey) ?? '';
    return theme in kNext ? theme : '';
  } catch {  // the browser keeps nothing
    return '';
  }
}

function keep(theme) {
  try {
    localStorage.setItem(kKey, theme);
  } catch {  // it is as chosen until the page closes
  }
}

// Elements, made of texts alone: whatever a name from the cluster holds, it is shown as it is.

export const byId = (id) => document.getElementById(id);

// make("p", {class: "x", title: "y", onclick: f}, "text", child, ...); null children are left out.
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith('aria-')) element.setAttribute(name, String(value));
    else if (value === false) continue;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

// Tells those who do not see the page.
export function say(text) { byId('said').textContent = text; }

// A button that copies `text`, and says so for a moment.
export function copyButton(text, label = 'Copy') {
  const button = make('button', {class: 'copy', title: `copy: ${text}`}, label);
  button.addEventListener('click', async () => {
    const done = await copy(text);
    button.textContent = done ? 'Copied' : 'Not allowed';
    say(button.textContent);
    setTimeout(() => { button.textContent = label; }, 1200);
  });
  return button;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {  // not a secure context, or not allowed
    const field = make('textarea', {class: 'unseen', 'aria-hidden': 'true'});
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}

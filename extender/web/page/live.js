// The figures as they come: server-sent events, and where no stream is to be had (as many as there
// may be are open, say) a question every two seconds until there is one again.

const kAskEvery = 2000;
const kTryStreamEvery = 30000;

export class Live {
  // `told(words, class)` hears how the figures come.
  constructor(store, told) {
    this.store = store;
    this.told = told;
    this.timer = 0;
    this.tryStreamAt = 0;
    this.asking = false;
    this.lastHeard = null;
    document.addEventListener('visibilitychange', () => this.onVisible());
  }

  start() {
    this.readTree();
    this.openStream();
  }

  // A page that nobody sees asks for nothing.
  onVisible() {
    if (document.hidden) {
      this.close();
      this.told('paused while hidden', 'paused');
    } else if (this.source === undefined && this.timer === 0) {
      this.openStream();
    }
  }

  close() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.source?.close();
    this.source = undefined;
  }

  openStream() {
    this.close();
    this.tryStreamAt = Date.now() + kTryStreamEvery;
    const source = new EventSource('figures/live');
    this.source = source;
    source.addEventListener('state', (event) => this.take(JSON.parse(event.data), 'live'));
    source.addEventListener('changes', (event) => this.takeChanges(JSON.parse(event.data)));
    source.addEventListener('error', () => {
      if (source !== this.source) return;
      if (source.readyState === EventSource.CLOSED) this.askInstead();
      else this.tellLost();
    });
  }

  askInstead() {
    this.close();
    this.ask();
  }

  async ask() {
    try {
      this.take(await read('figures/state'), 'asked every 2 s');
    } catch {
      this.tellLost();
    }
    if (document.hidden) return;
    const next = Date.now() > this.tryStreamAt ? () => this.openStream() : () => this.ask();
    this.timer = setTimeout(next, kAskEvery);
  }

  take(state, how) {
    this.lastHeard = new Date();
    if (state.generation !== this.store.generation || state.tree !== this.store.treeOf)
      this.store.takeState(state);
    this.told(how, 'good');
    if (!this.store.whole) this.readTree();
  }

  takeChanges(changes) {
    this.lastHeard = new Date();
    if (!this.store.takeChanges(changes)) this.openStream();  // for the whole
    else this.told('live', 'good');
  }

  async readTree() {
    if (this.asking) return;
    this.asking = true;
    try {
      this.store.takeTree(await read('figures/tree'));
    } catch {
      this.tellLost();
    }
    this.asking = false;
    if (this.store.generation > 0 && !this.store.whole) setTimeout(() => this.readTree(), 1000);
  }

  tellLost() {
    const since = this.lastHeard === null ? '' : ` since ${this.lastHeard.toLocaleTimeString()}`;
    this.told(`no answer${since}`, 'lost');
  }
}

export async function read(path) {
  const answer = await fetch(path, {cache: 'no-cache'});
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error ?? `${path}: ${answer.status}`);
  return told;
}

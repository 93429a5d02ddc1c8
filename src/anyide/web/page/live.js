/**
 * The live channel: JSON-RPC 2.0 over a WebSocket that is opened again whenever it breaks.
 *
 * Says "open", "closed", and "expired" when the server no longer knows this browser; what the server tells on its own comes as "told" with method and params.
 */

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 3000;

/** An answer that is an error; `message` is a sentence to show. */
export class Refused extends Error {
  /** @param {{code: number, message: string, data?: unknown}} error */
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The server is not there now; nothing is known of what was asked. */
export class Offline extends Error {
  constructor() {
    super("The server is not reachable now.");
  }
}

export class Live extends EventTarget {
  /** @param {string} address */
  constructor(address) {
    super();
    this.address = address;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
    this.pending = new Map();
    this.lastId = 0;
    this.wait = FIRST_WAIT_MS;
    this.timer = 0;
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  start() {
    for (const name of ["online", "focus"]) addEventListener(name, () => this.#hurry());
    this.#connect();
  }

  /** @param {string} method @param {object} [params] @returns {Promise<any>} */
  request(method, params = {}) {
    if (!this.isOpen) return Promise.reject(new Offline());
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.socket?.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  #connect() {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT_MS;
      this.dispatchEvent(new Event("open"));
    });
    socket.addEventListener("message", (event) => this.#receive(String(event.data)));
    socket.addEventListener("close", () => this.#lost());
  }

  #lost() {
    this.socket = null;
    void this.#askWhy();
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(new Offline());
    this.dispatchEvent(new Event("closed"));
    this.timer = setTimeout(() => this.#connect(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
  }

  /** A refused WebSocket does not say why; plain HTTP does. */
  async #askWhy() {
    const answer = await fetch("/session").catch(() => null);
    if (answer?.status === 403) this.dispatchEvent(new Event("expired"));
  }

  #hurry() {
    if (this.socket) return;
    clearTimeout(this.timer);
    this.wait = FIRST_WAIT_MS;
    this.#connect();
  }

  /** @param {string} data */
  #receive(data) {
    const message = JSON.parse(data);
    if (message.method !== undefined) {
      this.dispatchEvent(new CustomEvent("told", { detail: message }));
      return;
    }
    const asked = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.error) asked?.reject(new Refused(message.error));
    else asked?.resolve(message.result);
  }
}

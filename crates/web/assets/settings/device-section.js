// <device-section>: the devices that get a person's notifications.

import { html, nothing, repeat } from "../element.js";
import { renderText } from "../hidden-text.js";
import { nameOf } from "../times.js";
import { deviceTrouble } from "../shell/device.js";
import { SettingsSection, describeMoment } from "./section-element.js";

/** @import { PushDevice, QuietHours } from "../types.d.ts" */

/** @param {number} minute */
const timeOf = (minute) => `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

/** @param {string} time Hours and minutes, as a field of times has them. */
const minuteOf = (time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** @param {QuietHours} quiet */
const describeQuiet = ({ startMinute, endMinute }) => `quiet from ${timeOf(startMinute)} to ${timeOf(endMinute)}`;

export class DeviceSection extends SettingsSection {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { devices: { state: true } };

  constructor() {
    super();
    /** @type {PushDevice[]} */
    this.devices = [];
  }

  /** @override */
  async load() {
    this.devices = (await this.app.client.request("GET", "/v1/push/devices")).devices;
  }

  /** @override */
  render() {
    const trouble = deviceTrouble();
    const mayAdd = this.app.caller?.roles.includes("approver") && !trouble;
    return html`<section aria-labelledby="devices">
      <h2 id="devices">Devices</h2>
      <p class="lead">A device is told of calls that wait for you, also while no page is open. The browser's vendor delivers
        encrypted messages and cannot read them. Notifications end when you sign out.</p>
      ${trouble ? html`<p class="note" role="status">${trouble}</p>` : nothing}
      ${mayAdd ? this.#renderForm() : nothing}
      ${this.renderMessage()}
      <ul id="device-list" aria-label="devices">${repeat(this.devices, ({ id }) => id, (device) => this.#renderDevice(device))}</ul>
    </section>`;
  }

  #renderForm() {
    const { known } = this.app.device;
    const isOn = this.devices.some(({ id }) => id === known?.id);
    const quiet = isOn ? known?.quiet : undefined;
    return html`<form id="add-device" @submit=${(/** @type {SubmitEvent} */ event) => this.#add(event)}>
      <label>Name of this device<input name="name" required maxlength="64" autocomplete="off" placeholder="my phone" .value=${isOn ? (known?.name ?? "") : ""} /></label>
      <label>Quiet from (optional)<input name="start" type="time" .value=${quiet ? timeOf(quiet.startMinute) : ""} /></label>
      <label>Quiet until<input name="end" type="time" .value=${quiet ? timeOf(quiet.endMinute) : ""} /></label>
      <button class="main" ?disabled=${this.isBusy}>${isOn ? "Change this device" : "Notify this device"}</button>
    </form>`;
  }

  /** @param {PushDevice} device */
  #renderDevice(device) {
    const facts = [device.host, `since ${describeMoment(device.addedAt)}`];
    if (device.person !== this.app.caller?.person) facts.unshift(nameOf(device.person));
    if (device.quiet) facts.push(describeQuiet(device.quiet));
    const remove = async () => {
      await this.app.device.remove(device.id);
      await this.load();
    };
    return html`<li>
      <span class="text"><strong>${renderText(device.name)}</strong><span>${renderText(facts.join(", "))}</span>
        ${device.trouble ? html`<span class="problem">${renderText(device.trouble)}</span>` : nothing}</span>
      ${device.id === this.app.device.known?.id ? html`<span class="badge">this device</span>` : nothing}
      ${this.renderRemoval({ id: device.id, verb: "Remove", name: device.name, note: "It gets no more notifications." }, remove)}</li>`;
  }

  /** @param {SubmitEvent} event */
  #add(event) {
    const { read } = this.readForm(event);
    void this.attempt(async () => {
      const [start, end] = [read("start"), read("end")];
      if (Boolean(start) !== Boolean(end)) throw new Error("Quiet hours need a start and an end.");
      await this.app.device.turnOn({ name: read("name"), ...(start ? { quiet: { startMinute: minuteOf(start), endMinute: minuteOf(end) } } : {}) });
      // The page itself need not tell of the same calls.
      await this.app.notifier.set(false);
      await this.load();
    });
  }
}

customElements.define("device-section", DeviceSection);

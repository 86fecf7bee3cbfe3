/* The actions of the settings, permissions and readiness views. */

import {
  problemFrom,
  type Api,
  type DetectedServer,
  type ProviderTest
} from './api';
import type { Store } from './store';
import type { ProviderInput } from './types';

const AUDIT_ENTRIES = 100;

export class Setup {
  constructor(
    protected readonly api: Api,
    protected readonly store: Store
  ) {}

  async loadModels(): Promise<void> {
    await this.guarded(async () => {
      this.store.update({ models: await this.api.models() });
    });
  }

  async setDefaultModel(model: string): Promise<void> {
    await this.guarded(async () => {
      this.store.update({ models: await this.api.setDefaultModel(model) });
    });
  }

  async loadProviders(): Promise<void> {
    await this.guarded(async () => {
      const { providers } = await this.api.providers();
      this.store.update({ providers });
    });
  }

  /** Resolves to whether it was saved; a problem is shown by the store. */
  async saveProvider(name: string, body: ProviderInput): Promise<boolean> {
    return this.guarded(async () => {
      await this.api.saveProvider(name, body);
      await Promise.all([this.loadProviders(), this.loadModels()]);
    });
  }

  async deleteProvider(name: string): Promise<void> {
    await this.guarded(async () => {
      await this.api.deleteProvider(name);
      await Promise.all([this.loadProviders(), this.loadModels()]);
    });
  }

  async testProvider(name: string, body: ProviderInput): Promise<ProviderTest> {
    try {
      return await this.api.testProvider(name, body);
    } catch (error) {
      const { message, remedy } = problemFrom(error);
      return { ok: false, message, remedy, models: [] };
    }
  }

  async detectServers(): Promise<DetectedServer[]> {
    let found: DetectedServer[] = [];
    await this.guarded(async () => {
      found = (await this.api.detectServers()).found;
    });
    return found;
  }

  async loadPermissions(): Promise<void> {
    await this.guarded(async () => {
      const [{ grants }, rules, { entries }] = await Promise.all([
        this.api.grants(),
        this.api.rules(),
        this.api.audit(AUDIT_ENTRIES)
      ]);
      this.store.update({ grants, rules, audit: entries });
    });
  }

  async revokeGrant(grantId: string): Promise<void> {
    await this.guarded(async () => {
      await this.api.revokeGrant(grantId);
      this.store.update(state => ({
        grants: (state.grants ?? []).filter(one => one.grant_id !== grantId)
      }));
    });
  }

  async saveRules(text: string): Promise<boolean> {
    return this.guarded(async () => {
      this.store.update({ rules: await this.api.saveRules(text) });
    });
  }

  async checkReadiness(slow: boolean): Promise<void> {
    this.store.update({ isChecking: true });
    await this.guarded(async () => {
      const { checks } = await this.api.readiness(slow);
      this.store.update({ checks });
    });
    this.store.update({ isChecking: false });
  }

  /** Run it; a failure becomes the panel's problem line. */
  protected async guarded(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.store.update({ problem: problemFrom(error) });
      return false;
    }
  }
}

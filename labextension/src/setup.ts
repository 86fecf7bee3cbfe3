/* The actions of the settings, permissions and readiness views. */

import {
  problemFrom,
  type Api,
  type AuditFilter,
  type DetectedServer,
  type ProviderTest
} from './api';
import type { Store } from './store';
import type {
  Budgets,
  ProviderInput,
  RouteTrial,
  RouteTrialResult,
  SentCall,
  Trace,
  Trial,
  TrialResult,
  UsageReport
} from './types';

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

  async setFallbacks(models: string[]): Promise<void> {
    await this.guarded(async () => {
      this.store.update({ models: await this.api.setFallbacks(models) });
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
      return { ok: false, message, remedy, detail: '', models: [] };
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
        this.api.audit(this.store.state.auditFilter, AUDIT_ENTRIES)
      ]);
      this.store.update({ grants, rules, audit: entries });
    });
    await this.loadPrivacy();
  }

  async loadPrivacy(): Promise<void> {
    await this.guarded(async () => {
      const [privacy, { consents }] = await Promise.all([
        this.api.privacy(),
        this.api.consents()
      ]);
      this.store.update({ leaving: { privacy, consents } });
    });
  }

  /** Save levels over those that the panel shows; where others are there by now, they are shown first. */
  async savePrivacy(text: string): Promise<boolean> {
    const was = this.store.state.leaving?.privacy.text ?? '';
    const isDone = await this.guarded(async () => {
      const privacy = await this.api.savePrivacy(text, was);
      this.store.update(({ leaving }) => ({
        leaving: leaving && { ...leaving, privacy }
      }));
    });
    if (!isDone) {
      await this.loadPrivacy();
    }
    return isDone;
  }

  async revokeConsent(consentId: string): Promise<void> {
    await this.guarded(async () => {
      await this.api.revokeConsent(consentId);
      await this.loadPrivacy();
    });
  }

  /** Where a request would go; nothing is sent. Null: the server cannot be asked. */
  async tryRequest(trial: RouteTrial): Promise<RouteTrialResult | null> {
    try {
      return await this.api.tryRequest(trial);
    } catch {
      return null;
    }
  }

  /** What left for a message; nothing where it cannot be told. */
  async loadSent(messageId: string): Promise<SentCall[]> {
    let calls: SentCall[] = [];
    await this.guarded(async () => {
      calls = (await this.api.sent(messageId)).calls;
    });
    return calls;
  }

  async revokeGrant(grantId: string): Promise<void> {
    await this.guarded(async () => {
      await this.api.revokeGrant(grantId);
      this.store.update(state => ({
        grants: (state.grants ?? []).filter(one => one.grant_id !== grantId)
      }));
    });
  }

  /** Save rules over those that the panel shows; where others are there by now, they are shown first. */
  async saveRules(text: string): Promise<boolean> {
    const was = this.store.state.rules?.text ?? '';
    const isDone = await this.guarded(async () => {
      this.store.update({ rules: await this.api.saveRules(text, was) });
    });
    if (!isDone) {
      await this.guarded(async () => {
        this.store.update({ rules: await this.api.rules() });
      });
    }
    return isDone;
  }

  /** What is wrong with a rules text, and what would become of a call. Null: the server cannot be asked. */
  async tryRules(trial: Trial): Promise<TrialResult | null> {
    try {
      return await this.api.tryRules(trial);
    } catch {
      return null;
    }
  }

  async filterAudit(change: Partial<AuditFilter>): Promise<void> {
    const auditFilter = { ...this.store.state.auditFilter, ...change };
    this.store.update({ auditFilter });
    await this.guarded(async () => {
      const { entries } = await this.api.audit(auditFilter, AUDIT_ENTRIES);
      if (this.store.state.auditFilter === auditFilter) {
        this.store.update({ audit: entries });
      }
    });
  }

  /** Every entry that fits the filter, into the browser's downloads. */
  async exportAudit(format: 'csv' | 'jsonl'): Promise<void> {
    await this.guarded(async () => {
      const { auditFilter } = this.store.state;
      download(
        await this.api.exportAudit(auditFilter, format),
        `linda-audit.${format}`
      );
    });
  }

  /** Null when it cannot be had; the store shows why. */
  async usage(days: number): Promise<UsageReport | null> {
    let found: UsageReport | null = null;
    await this.guarded(async () => {
      found = await this.api.usage(days);
    });
    return found;
  }

  /** Save budgets over `was`, those that the person saw; refused where others are set by now. */
  async saveBudgets(budgets: Budgets, was: Budgets): Promise<boolean> {
    return this.guarded(() => this.api.saveBudgets({ ...budgets, was }));
  }

  /** Show why a run went as it did. */
  showTrace(runId: string): void {
    this.store.update({ traced: runId, view: 'trace' });
  }

  async trace(runId: string): Promise<Trace | null> {
    let found: Trace | null = null;
    await this.guarded(async () => {
      found = await this.api.trace(runId);
    });
    return found;
  }

  async downloadTrace(runId: string): Promise<void> {
    await this.guarded(async () =>
      download(await this.api.traceFile(runId), `linda-trace-${runId}.json`)
    );
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

/** Into the browser's downloads. */
function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

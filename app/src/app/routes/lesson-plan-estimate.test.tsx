import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { draftStorage } from '@/builder/draft-storage';
import { lessonPlanTool } from '@/features/lessons/lesson-plan-tool';
import { type FakeApi, FakeWallet, json } from '@/test/fake-api';
import {
  answer,
  download,
  filled,
  generate,
  generationsOf,
  plansAreMade,
  show,
  start,
} from '@/test/lesson-plan-screen';
import { teacher } from '@/test/show-route';

let api: FakeApi;

const generations = () => generationsOf(api);

beforeEach(() => {
  ({ api } = plansAreMade());
});

describe('the estimate of a lesson plan', { timeout: 20_000 }, () => {
  // rows: D33
  test('an empty form loads no checks, and its first letter loads them', async () => {
    new FakeWallet(api, 40);
    const checks = vi.spyOn(lessonPlanTool, 'checks');
    const person = show();
    const chapter = screen.getByLabelText('Chapter');
    expect(checks).not.toHaveBeenCalled();
    await person.type(chapter, 'E');
    expect(checks).toHaveBeenCalled();
  });

  // rows: D36
  test('without the checks nothing is generated until they load by themselves', async () => {
    const wallet = new FakeWallet(api, 40);
    vi.spyOn(lessonPlanTool, 'checks').mockRejectedValueOnce(new TypeError('Failed to fetch'));
    const form = { ...lessonPlanTool.empty, ...filled };
    draftStorage(lessonPlanTool, teacher.id).savePending({ form, sample: '', startedAt: Date.now() });
    show();
    expect(await screen.findByText(/^Part of this page has not arrived/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Load the page again' })).toBeEnabled();
    expect(download()).toBeDisabled();
    await waitFor(() => {
      expect(download()).toBeEnabled();
    });
    expect(screen.queryByText(/^Part of this page has not arrived/)).not.toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
  });

  // rows: D36
  test('a press is refused when the checks fail to load', async () => {
    const wallet = new FakeWallet(api, 40);
    const lost = new TypeError('Failed to fetch');
    vi.spyOn(lessonPlanTool, 'checks')
      .mockReturnValueOnce(new Promise(() => undefined))
      .mockRejectedValue(lost);
    const form = { ...lessonPlanTool.empty, ...filled };
    draftStorage(lessonPlanTool, teacher.id).savePending({ form, sample: '', startedAt: Date.now() });
    const person = show();
    await person.click(download());
    expect(await screen.findByText(/^Part of this page has not arrived/)).toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
    expect(generations()).toHaveLength(0);
  });

  // rows: D04
  test('checks that load late bring the estimate with them', async () => {
    new FakeWallet(api, 20);
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    api.on(generate, () => json({ meta: { generator: 'template', language: 'en', coverage: 0.1, label } }));
    const lost = new TypeError('Failed to fetch');
    vi.spyOn(lessonPlanTool, 'checks').mockRejectedValueOnce(lost);
    const form = { ...lessonPlanTool.empty, ...filled };
    draftStorage(lessonPlanTool, teacher.id).savePending({ form, sample: '', startedAt: Date.now() });
    show();
    expect(await screen.findByText(label, undefined, { timeout: 5_000 })).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  // rows: D04
  test('a mostly blank document is announced before the charge', async () => {
    const wallet = new FakeWallet(api, 20);
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    api.on(generate, () =>
      json({ meta: { generator: 'template', language: 'en', coverage: 0.1, label, warnings: [label] } }),
    );
    const person = show();
    await start(person);
    expect(await screen.findByText(label)).toBeInTheDocument();
    expect(api.callsTo(generate)[0]?.body).toMatchObject({ chapter: 'Electricity', dryRun: true });
    expect(generations()).toHaveLength(0);
    expect(wallet.writes).toEqual([]);
  });

  // rows: D04
  test('what a fallback for the model would change is announced before the charge', async () => {
    new FakeWallet(api, 20);
    const fallback = 'પછી દસ્તાવેજ અંગ્રેજીમાં હશે.';
    const told = { generator: 'model', language: 'gu', coverage: null, label: 'By a model.', fallback };
    api.on(generate, () => json({ meta: told }));
    const person = show();
    await start(person);
    expect(await screen.findByText(fallback)).toHaveAttribute('lang', 'gu');
    expect(screen.queryByText('By a model.')).not.toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  // rows: D04
  test('the one chapter that begins with the typed text is offered', async () => {
    new FakeWallet(api, 40);
    const frame = { generator: 'template', language: 'en', coverage: 0, label: 'Draft frame.' };
    api.on(generate, () => json({ meta: frame }));
    const person = show();
    await start(person);
    const chapter = screen.getByRole('combobox', { name: 'Chapter' });
    fireEvent.change(chapter, { target: { value: 'light' } });
    await person.click(
      await screen.findByRole('button', { name: 'Use “Light – Reflection and Refraction”' }),
    );
    expect(chapter).toHaveValue('Light – Reflection and Refraction');
    expect(chapter).toHaveFocus();
  });

  describe('a press before the estimate', () => {
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    const frame = { generator: 'template', language: 'en', coverage: 0.1, label };
    let wallet: FakeWallet;
    let estimate: (response: Response) => void;

    /** Only generations are answered at once. */
    beforeEach(() => {
      wallet = new FakeWallet(api, 40);
      api.on(generate, ({ headers }) => {
        if (headers.has('Idempotency-Key')) return json(answer);
        return new Promise<Response>((resolve) => {
          estimate = resolve;
        });
      });
    });

    async function pressAtOnce() {
      const person = show();
      await start(person);
      await person.click(download());
      expect(await screen.findByText('Looking up what the document will be...')).toBeInTheDocument();
      expect(download()).toBeDisabled();
      return person;
    }

    test('a press pays nothing for a mostly blank document until it is repeated', async () => {
      const person = await pressAtOnce();
      estimate(json({ meta: frame }));
      expect(await screen.findByText('Nothing was charged yet')).toBeInTheDocument();
      expect(await screen.findByText(label)).toBeInTheDocument();
      expect(download()).toHaveFocus();
      expect([wallet.coins, generations().length]).toEqual([40, 0]);
      await person.click(download());
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
      expect(wallet.coins).toBe(20);
    });

    test('a press goes on by itself where the chapter is known', async () => {
      await pressAtOnce();
      estimate(json({ meta: { ...frame, coverage: 0.9 } }));
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
      expect(wallet.coins).toBe(20);
    });

    test('a press is held back once where the estimate does not arrive', async () => {
      const person = await pressAtOnce();
      expect(await screen.findByText('Nothing was charged yet')).toBeInTheDocument();
      expect(screen.getAllByText(/^What the document will be could not be found out in time/)).toHaveLength(
        2,
      );
      expect([wallet.coins, generations().length]).toEqual([40, 0]);
      await person.click(download());
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    });
  });

  // rows: S-422
  test('what the document will lack is shown before the charge', async () => {
    new FakeWallet(api, 20);
    const warning = 'The sample was not used: it is no file that you have uploaded.';
    const meta = {
      generator: 'model',
      language: 'en',
      coverage: null,
      label: 'By a model.',
      warnings: [warning],
    };
    api.on(generate, () => json({ meta }));
    const person = show();
    await start(person);
    expect(await screen.findByText(warning)).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });
});

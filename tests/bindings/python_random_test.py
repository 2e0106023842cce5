"""prism.random on one device: the same numbers on each. python_random_test.py PACKAGE_FOLDER."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
import prism


class Random(unittest.TestCase):
    def test_words_are_those_of_the_authors_of_philox(self):
        # kat_vectors of Random123 for philox4x32-10: counter 0 and key 0
        self.assertEqual(prism.random.default_rng(0).words(2).tolist(), [0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c])

    def test_every_device_has_the_same_numbers(self):
        rng = prism.random.default_rng(2 ** 63 + 5)
        self.assertEqual(rng.integers(-3, 100, size=6).tolist(), [-2, 45, 68, 71, 18, 12])
        self.assertEqual(rng.uniform(1, 2, size=(2, 2), dtype=prism.float32).tolist(), [[1.09125554561615, 1.4832813739776611], [1.3434157371520996, 1.2887928485870361]])
        self.assertEqual(rng.position, 10)
        self.assertEqual(rng.permutation(8).tolist(), [4, 1, 2, 6, 3, 0, 7, 5])
        if prism.get_device().has("fp64"):
            self.assertEqual(rng.standard_normal(3).tolist(), [-0.842368524079729, -0.1809363920197402, 1.009252796621888])

    def test_calls_go_on_where_the_last_one_ended(self):
        one, several = prism.random.default_rng(7), prism.random.default_rng(7)
        whole = one.integers(1000, size=9).tolist()
        self.assertEqual(several.integers(1000, size=4).tolist() + several.integers(1000, size=(5,)).tolist(), whole)
        several.position = 0
        self.assertEqual(several.integers(1000).item(), whole[0])

    def test_a_permutation_has_each_element_once(self):
        rng = prism.random.default_rng(1)
        self.assertEqual(sorted(rng.permutation(500).tolist()), list(range(500)))
        rows = prism.reshape(prism.arange(60), (20, 3))
        mixed = rng.permutation(rows)
        self.assertEqual(sorted(mixed.tolist()), rows.tolist())
        self.assertNotEqual(mixed.tolist(), rows.tolist())
        rng.shuffle(rows)
        self.assertEqual(sorted(rows[:, 0].tolist()), list(range(0, 60, 3)))

    def test_seeds_of_the_system_differ_and_wrong_arguments_are_refused(self):
        self.assertNotEqual(prism.random.default_rng().seed, prism.random.default_rng().seed)
        for call, what in ((lambda: prism.random.default_rng(-1), "seed"), (lambda: prism.random.default_rng("a"), "seed"),
                           (lambda: prism.random.default_rng(1).integers(3, 3), r"no integer in \[3, 3\)"),
                           (lambda: prism.random.default_rng(1).random((-1,)), "extent of a shape"),
                           (lambda: prism.random.default_rng(1).random(2, dtype=prism.int32), "int32")):
            with self.assertRaisesRegex((ValueError, TypeError), what):
                call()


unittest.main()

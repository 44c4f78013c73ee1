"""All limits of an analysis in one record: what is larger is summarised, refused or left open, and said so. `docs/budgets.md` lists them."""

from __future__ import annotations

from tensorproof.terms.records import dataclass


@dataclass(frozen=True, slots=True)
class Exploration:
    """How many paths of a program are followed, and how far."""

    paths: int = 64
    """Paths of one program."""
    paths_after_error: int = 8
    """Paths that are followed once an error was found on an earlier one."""
    decisions_about_items: int = 2
    """How many decisions a path makes before lists and dicts that differ in their items are joined, and no path is followed for each."""
    forks_in_package: int = 8
    """How many decisions that cannot be joined may come up in a package's source before it is taken as one that is not here."""
    share_of_forks: float = 0.15
    """Share of the file's limit that replays for such decisions may take."""
    share_of_import: float = 0.4
    """Share of the file's limit that running the modules behind one imported name may take; then the name is taken as one of a package that is not here."""
    share_of_call: float = 0.5
    """The same for one call into a package that is read from its source."""
    share_of_packages: float = 0.75
    """Share of the file's limit after which nothing more is followed into packages: the program's own lines get the rest."""
    paths_of_uncalled: int = 16
    """Paths of a function that nothing calls."""
    work_of_uncalled: int = 400_000
    """Steps over all runs of functions of one file that nothing calls."""
    tries_of_entry: int = 120
    """Combinations of ranks and element types with which a module is entered."""
    ranks: int = 5
    """Ranks with which a module of one input is tried; where all work, any rank does."""
    relations_compared: int = 40
    """Relations of a contract among which those that follow from others are left out."""
    values_decided: int = 16
    """Values of a bounded number for which a condition is decided one by one."""
    facts: int = 60
    """Facts of a path with which a condition is decided; of more, the nearest ones."""
    depth_of_joined: int = 6
    """Depth of a choice between values that were joined."""
    depth_under_unknown: int = 100
    """Nested calls under a condition that is not known."""
    depth_of_calls: int = 1000
    """Nested calls, unless the program sets a lower limit: as many as Python allows."""
    candidates_by_key: int = 8
    """Items of which `max(..., key=...)` may pick any; each may be a path of its own."""


@dataclass(frozen=True, slots=True)
class Loops:
    """How many iterations are run one by one before they are summarised."""

    data_iterations: int = 3
    """Regular iterations over a data loader."""
    open_iterations: int = 3
    """Iterations of a `while` whose condition is not decided."""
    items_after_data_loop: int = 100_000
    """Items that the iterations of a data loop add to a list, up to which they are written out."""
    yields: int = 2000
    """Values of a generator that are drawn one by one."""
    drawn: int = 64
    """Rows of a tensor that are iterated one by one."""
    drained: int = 50_000
    """Items of an iterator that is read to its end."""
    growth: int = 100_000
    """Items that the remaining iterations of an accelerated loop may add."""
    fixpoint_tries: int = 6
    """Iterations with a symbolic number until what they change is stable."""
    leaving_iteration: int = 10_000
    """Greatest number of an iteration that is looked for because it alone leaves the loop."""
    depth_of_widened: int = 8
    """Depth to which a value is widened."""
    variants_widened: int = 4
    """Depth of a choice between values that a widened variable may have."""
    greatest_vocabulary: int = 16_000_000
    """Greatest size to which a widened number is bounded: no vocabulary is larger."""
    range_iterations: int = 16
    """Iterations of a `range` whose length is not known, but bounded."""
    epochs: int = 10
    """Epochs of `fit` that are run one by one."""
    epochs_kept: int = 512
    """Epochs whose results `History` keeps one by one."""


@dataclass(frozen=True, slots=True)
class Containers:
    """How large values are before they are summarised."""

    items: int = 100_000
    """Items of a sequence that is written out."""
    entries: int = 1_000_000
    """Entries that a list holds one by one."""
    exchanged: int = 4
    """Items of unknown order that are sorted on one path."""
    like_items: int = 1_000_000
    """Items, with what is inside them, that a loop over a list may summarise."""
    numbers_read: int = 6
    """Unknown numbers of a list that are iterated one by one."""
    new_keys: int = 8
    """Spread of the number of keys of a dict, up to which it is followed exactly."""
    sizes_reported: int = 16
    """Different sizes of items that are reported one by one."""
    parts: int = 200_000
    """Parts of a value that is written out."""
    open_keys: int = 3
    """Symbolic keys of one call whose equality is decided."""
    shifted: int = 64
    """Items of a list in which a removal of an unknown item is followed."""
    places: int = 2
    """Places that one item of a list may have."""
    open_parts_of_text: int = 3
    """Parts of a formatted text with two values each."""
    bits: int = 65_536
    """Bits of a whole number that is computed."""
    letters: int = 1_000_000
    """Length of a text, bytes or tuple that is computed."""
    field_width: int = 100_000
    """Width of a field of a formatted text."""
    writes: int = 64
    """Writes to elements of a tensor that are remembered between two reads."""
    contents: int = 4096
    """Elements of a tensor whose values are kept."""
    bounds_of_elements: int = 64
    """Elements of a vector of which each has bounds of its own."""
    steps_of_bounds: int = 8
    """Operators, one after another, whose bounds are kept as they are; those of more are rounded to coarse ones, so that those of a loop come to rest."""
    steps_of_drawn: int = 4
    """Operators, one after another, that the ends of a drawn number follow, so that those of a loop come to rest."""
    end_of_drawn: int = 1 << 31
    """Distance from zero up to which the ends of a drawn number are followed."""
    depth_of_summarised: int = 6
    """Depth to which an item of a summarised list is described."""
    samples_in_order: int = 64
    """Samples of a dataset in order that are made one by one where they differ."""
    samples: int = 8
    """Samples of a dataset that are made one by one; of a larger one, a sample with any index."""
    samples_counted: int = 2048
    """Samples of an iterable dataset that are counted."""
    lengths_tried: int = 64
    """Lengths with which a collate function is tried that cannot be followed on a list of unknown length."""
    values_of_variable: int = 7
    """Values of one variable over the items of a list that are distinguished."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """How much work a solver may do."""

    seconds: float = 20.0
    """Seconds for one file (`--time-limit`), counted as 10,000 steps each."""
    z3_work: int = 2_000_000
    """Work of Z3 for one question, in its own unit, so that load never changes an answer."""
    sampled_symbols: int = 2
    """Symbols of a question for which values are tried before Z3 is asked."""
    sampled_predicates: int = 8
    """Predicates of such a question."""
    ranks_tried: tuple[int, ...] = (9, 6, 4)
    """Ranks that are tried for each of one, two or three inputs of unknown rank."""
    sets_of_axes: int = 4
    """The rank up to which every set of its axes is tried for axes that are not known."""
    axes_tried: int = 64
    """Combinations of symbolic axes that are tried."""
    counterexamples: int = 3
    """Values of a symbol that a finding lists, where it fails for these alone."""


@dataclass(frozen=True, slots=True)
class Savedmodels:
    """How far graphs are followed."""

    flow_iterations: int = 3
    """Iterations of a loop of a graph until its types are stable."""
    graph_iterations: int = 4
    """Iterations over a loop's body until its shapes are stable; what still changes then is unknown."""
    depth_of_functions: int = 32
    """Nested functions of a graph; functions may call themselves."""
    contents_compared: int = 64
    """Elements of a tensor that are compared to find that a block repeats."""
    input_sizes: int = 32
    """Open sizes of inputs for which one common size is tried."""


@dataclass(frozen=True, slots=True)
class Numerics:
    """How precise bounds of values are, and how long fixes and witnesses are looked for."""

    blocks: int = 4096
    """Blocks of one tensor; one with more is made coarser."""
    products: int = 65536
    """Pairs of blocks of a contraction that is bounded product by product."""
    terms: int = 6
    """Terms of an affine form."""
    loop_iterations: int = 24
    """Iterations of a loop until its bounds are stable; what still changes then has no bounds."""
    bound_iterations: int = 24
    """The same for bounds without relations."""
    mask_steps: int = 200
    """Tensors that are looked at for the origin of a mask."""
    assigned_steps: int = 16
    """Records before an assigned value that are looked at."""
    initial_steps: int = 64
    """Records by which an initial value is computed."""
    results_kept: int = 20_000
    """Results of operators that are kept."""
    fixes: int = 24
    """Changes that are tried for one operation."""
    seconds_for_fixes: float = 120.0
    """Seconds for which changes are looked for."""
    seconds_for_preconditions: float = 60.0
    """Seconds for which narrower ranges of inputs are looked for."""
    narrowed_inputs: int = 4
    """Inputs of which a narrower range is tried for one operation."""
    seconds_for_witnesses: float = 600.0
    """Seconds for all runs of a program that look for a witness."""
    seconds_of_operation: float = 20.0
    """Seconds for which one operation of a saved model is tried."""
    seconds_of_model: float = 300.0
    """Seconds for all operations of a saved model."""
    seconds_of_start: float = 60.0
    """Seconds for loading a library and a model."""


@dataclass(frozen=True, slots=True)
class Spaces:
    """How large search spaces are decided."""

    vectors: int = 1 << 22
    """Vectors that are decided one by one; more are counted by elimination."""
    vectors_for_causes: int = 1 << 16
    """Vectors of a space in which it is found which values of an example are enough."""
    values_of_parameter: int = 1_000_000
    """Values of one parameter."""
    analyses: int = 4096
    """Analyses of a program, one for each combination of parameters that change its shape."""
    combinations: int = 1 << 20
    """Vectors of a space that are listed one by one."""
    rows: int = 60_000_000
    """Rows of a join of relations."""
    rows_kept: int = 1_500_000
    """The same where a parameter is kept."""
    candidates: int = 200_000
    """Vectors that are tried for the valid one nearest to another."""
    grid: int = 1 << 20
    """Vectors of a space in which values are completed by trying all of them."""
    partial_examples: int = 4096
    """Vectors of which it is remembered whether they are valid."""
    solver_steps: int = 50_000_000
    """Work of Z3 for an example of an endless space, in its own unit."""


@dataclass(frozen=True, slots=True)
class Files:
    """How large files may be: input is not trusted."""

    source_bytes: int = 2 * 1024 * 1024
    """Bytes of a Python file."""
    folders_above: int = 12
    """Folders above a file that are looked at for its project."""
    model_bytes: int = 2 << 30
    """Bytes of a saved model: protocol buffers end there."""
    unpacked_bytes: int = 1 << 30
    """Bytes of a gzipped file when it is unpacked."""
    message_depth: int = 100
    """Nested messages, as protobuf's own readers allow."""
    message_values: int = 20_000_000
    """Values of a file, elements that are kept raw not counted."""
    archive_members: int = 200_000
    """Members of an archive."""
    member_bytes: int = 256 << 20
    """Bytes of a description of a model in an archive."""
    layers: int = 100_000
    """Layers of a Keras file."""
    layer_depth: int = 32
    """Nested models of a Keras file."""
    weight_bytes: int = 8 << 30
    """Bytes of one weight of a `torch.export` file."""
    index_bytes: int = 256 << 20
    """Bytes of the index of a TensorFlow checkpoint."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The groups."""

    exploration: Exploration = Exploration()
    loops: Loops = Loops()
    containers: Containers = Containers()
    deciding: Deciding = Deciding()
    saved_models: Savedmodels = Savedmodels()
    numerics: Numerics = Numerics()
    spaces: Spaces = Spaces()
    files: Files = Files()


BUDGETS = Budgets()

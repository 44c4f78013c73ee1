from torch.nn import modules as modules
from torch.nn.modules.module import Module as Module
